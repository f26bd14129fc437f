"""Who may come in: sockets are counted, all of them, those that have not said who they are, those of each address."""

import ipaddress
from collections import Counter

from scotyard_env.web.limits import ADDRESS, ALL_SOCKETS, UNSEATED

NETWORK = 64  # bits that addresses of version 6 have in common when they are one customer's


class Door:
    """Counts the sockets that are open."""

    def __init__(self) -> None:
        self._open = 0
        self._unseated = 0
        self._by_origin: Counter[str] = Counter()

    def admit(self, address: str) -> bool:
        """Let a socket in if there is room for it; it then has to ``seat`` and ``leave``."""
        origin = origin_of(address)
        is_crowded = origin != "" and self._by_origin[origin] >= ADDRESS
        if self._open >= ALL_SOCKETS or self._unseated >= UNSEATED or is_crowded:
            return False
        self._open += 1
        self._unseated += 1
        self._by_origin[origin] += 1
        return True

    def seat(self) -> None:
        """Count a socket no longer among those that have not said who they are, whether it has or is given up."""
        self._unseated -= 1

    def leave(self, address: str) -> None:
        """Let a socket go."""
        origin = origin_of(address)
        self._open -= 1
        self._by_origin[origin] -= 1
        if not self._by_origin[origin]:
            del self._by_origin[origin]


def origin_of(address: str) -> str:
    """Return by what sockets of an address are counted together; nothing for this machine's own, and for no address."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return ""
    if isinstance(known, ipaddress.IPv6Address):
        known = known.ipv4_mapped or known
    if known.is_loopback:
        return ""
    return str(known) if known.version == 4 else str(ipaddress.ip_network((known, NETWORK), strict=False))
