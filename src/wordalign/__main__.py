import sys

from wordalign.cli import main

sys.exit(main())
