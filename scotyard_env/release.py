"""Which release of the package something belongs to: what is measured on the way to a release stays with it."""

import scotyard_env


def release(version: str = scotyard_env.__version__) -> str:
    """Return the release that a version is, or leads to: 0.2.0 of 0.2.0.dev0."""
    return version.partition(".dev")[0]
