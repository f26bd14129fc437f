"""Every limit of the server, in one place."""

TABLES = 200  # unfinished, in memory or parked
SOCKETS = 24  # at one table
MESSAGE = 4096  # bytes of a message from outside
RATE = 10.0  # messages a second that a socket may send, in the long run
BURST = 20  # and at once
HELLO = 5.0  # seconds in which a socket has to say who it is
QUEUE = 64  # messages that wait for a socket before it is taken for dead
SENDING = 20.0  # seconds that a message may take to a socket
THINKING = 10.0  # seconds that a policy may take for a move
TICK = 0.5  # seconds: moves of policies come at multiples of it, so that their thinking time tells nothing
IDLE = 1800.0  # seconds without a socket after which a table is parked
TOKEN = 24  # bytes of a token
ANALYSES = 8  # games that are analysed or wait for it
ANALYSIS_STEP = 300.0  # seconds that a step of an analysis may take, the making of its policies included
ANALYSES_KEPT = 32  # finished analyses in memory
ANALYSES_ON_DISK = 1000  # and as files
