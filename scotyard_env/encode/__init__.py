"""Numbers: what a seat may know as observation arrays, the mask of legal actions, and the spaces of both."""

from scotyard_env.encode.encoder import KINDS, Encoder, ObservationKind
from scotyard_env.encode.layouts import (
    STATION_FEATURES,
    Layout,
    Piece,
    compact_layout,
    flat_layout,
    game_layout,
    link_index,
    link_transports,
    viewer_first_layout,
)

__all__ = [
    "KINDS",
    "STATION_FEATURES",
    "Encoder",
    "Layout",
    "ObservationKind",
    "Piece",
    "compact_layout",
    "flat_layout",
    "game_layout",
    "link_index",
    "link_transports",
    "viewer_first_layout",
]
