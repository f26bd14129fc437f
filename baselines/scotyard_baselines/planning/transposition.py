"""The transposition table of an alpha-beta search: values of positions, or bounds of them."""

EXACT, AT_LEAST, AT_MOST = range(3)  # what a stored value is


class TranspositionTable:
    """Values by the key of a position; alpha-beta makes bounds of those outside its window."""

    def __init__(self) -> None:
        self.stored: dict[bytes, tuple[float, int]] = {}

    def look_up(self, key: bytes, alpha: float, beta: float) -> float | None:
        """Return the value of a position as far as it settles the question between alpha and beta, else None."""
        value, kind = self.stored.get(key, (0.0, None))
        is_settled = kind == EXACT or (kind == AT_LEAST and value >= beta) or (kind == AT_MOST and value <= alpha)
        return value if is_settled else None

    def store(self, key: bytes, value: float, alpha: float, beta: float) -> None:
        """Store the value that a search between alpha and beta found."""
        self.stored[key] = value, AT_MOST if value <= alpha else AT_LEAST if value >= beta else EXACT
