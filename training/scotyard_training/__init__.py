"""Training scripts, one per method, and ``learning``, what they share; they need the extra ``train``.

Games and networks are small: one thread for each is fastest by far, above all on a machine that others use too. What
follows counts only if it is said before NumPy is loaded (``scotyard`` loads it first: learning/threads.py says it
again); ``--torch-threads`` gives torch more.
"""

import os

for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")
