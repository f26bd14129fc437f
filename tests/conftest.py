"""What holds for all tests: tables that are kept on disk are kept beside the tests, not in the user's cache."""

import os
from pathlib import Path

os.environ.setdefault("SCOTYARD_CACHE", str(Path(__file__).parents[1] / ".pytest_cache" / "scotyard_env"))
