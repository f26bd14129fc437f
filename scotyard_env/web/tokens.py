"""Tokens: who holds one may play the seats it was given for. Only their digests are kept."""

import hashlib
import hmac
import secrets

from scotyard_env.web.limits import TOKEN


def new_token() -> str:
    """Draw a token that nobody can guess."""
    return secrets.token_urlsafe(TOKEN)


def digest(token: str) -> str:
    """Return what is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def find_holder(token: str, keys: dict[str, str]) -> str | None:
    """Return whose token it is, by their digests; nobody's is None. All are compared, each in the same time."""
    shown = digest(token)
    holders = [holder for holder, kept in keys.items() if hmac.compare_digest(shown, kept)]
    return holders[0] if holders else None
