"""Numbers: what a seat may know as observation arrays, the mask of legal actions, and the spaces of both."""

from scotyard_env.encode.encoder import (
    KINDS,
    STATION_FEATURES,
    Encoder,
    Layout,
    Piece,
    compact_layout,
    flat_layout,
    game_layout,
    link_index,
    link_transports,
)

__all__ = [
    "KINDS",
    "STATION_FEATURES",
    "Encoder",
    "Layout",
    "Piece",
    "compact_layout",
    "flat_layout",
    "game_layout",
    "link_index",
    "link_transports",
]
