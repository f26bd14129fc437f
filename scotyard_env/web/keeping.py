"""What a server asks of whoever keeps its tables: the folder of ``scotyard web``, or the file of ``scotyard play``."""

from collections.abc import Iterable
from typing import Protocol

from scotyard_env.web.table import Event, Table


class Keeper(Protocol):
    """Keeps tables, and gives them back as they were."""

    def names(self) -> list[str]:
        """List the tables that are kept."""

    def touched(self, name: str) -> float:
        """Tell when a table was written to last, in seconds."""

    def load(self, name: str) -> Table:
        """Bring a table back as it was when the last event was kept."""

    async def begin(self, name: str, table: Table) -> None:
        """Keep how a table began; return when it is on disk."""

    async def append(self, name: str, events: Iterable[Event]) -> None:
        """Keep events of a table; return when they are on disk."""
