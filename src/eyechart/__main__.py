"""`python -m eyechart`, where the `eyechart` program is not on the path."""

import sys

from eyechart.cli import main

sys.exit(main())
