"""How kernels are compiled: quickly from an empty cache, and only once.

Numba makes a library of every function, so that each callee is optimised and turned into machine code again in every
function above it, though few of them are ever called from Python. Here a call from Python and a call from another
kernel go separate ways: what only kernels call is typed and lowered, and linked into those that Python calls; only
those are optimised and turned into machine code. ``dispatchers.py`` has the two ways, ``pipeline.py`` the steps
of one kernel, ``library.py`` the code in between, ``disk_cache.py`` what is kept on disk, ``progress.py`` who is told
how far it is.
"""
