"""``python -m madsim`` is the command ``madsim``."""

import sys

from madsim.cli import main

sys.exit(main())
