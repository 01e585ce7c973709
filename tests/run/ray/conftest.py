from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # helper modules

# Where the extra `ray` is not installed there is nothing to test.
collect_ignore_glob = [] if find_spec("ray") and find_spec("pyarrow") else ["test_*.py"]
