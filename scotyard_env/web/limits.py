"""Every limit of the server, in one place."""

TABLES = 200  # at once in memory; others are parked, which is to say on disk only
KEPT = 20_000  # on disk, finished or not
SOCKETS = 24  # at one table
ALL_SOCKETS = 1500  # at all tables
UNSEATED = 200  # of these, that have not said yet who they are
ADDRESS = 64  # of these, from one address; those of this machine's own, where a proxy may be, are not counted
CONNECTIONS = 2000  # to the server, sockets among them
MESSAGE = 4096  # bytes of a message from outside
RATE = 10.0  # messages a second that a socket may send, in the long run
BURST = 20  # and at once
HELLO = 5.0  # seconds in which a socket has to say who it is, and in which a request has to arrive
PING = 20.0  # seconds between two questions whether a socket is still there, and for the answer to each
QUEUE = 64  # messages that wait for a socket before it is taken for dead
SENDING = 20.0  # seconds that a message may take to a socket
THINKING = 10.0  # seconds that a policy may take for a move
FIRST = 180.0  # seconds for the first move in a process, for which a fresh installation may have to compile it
TICK = 0.5  # seconds: moves of policies come at multiples of it, so that their thinking time tells nothing
IDLE = 1800.0  # seconds without a socket after which a table is parked
ABANDONED = 60.0  # and after which it is parked if another one needs its place
RETRY = 5.0  # seconds after which a policy's move that could not be kept is tried again
UNDOS = 100  # at one table
TOKEN = 24  # bytes of a token
ANALYSES = 8  # games that are analysed or wait for it
ANALYSIS_STEP = 300.0  # seconds that a step of an analysis may take, the making of its policies included
ANALYSES_KEPT = 32  # finished analyses in memory
ANALYSES_ON_DISK = 1000  # and as files
