"""`python -m symbody.cli`."""

import sys

from symbody.cli import main

sys.exit(main())
