"""`python -m symbody`: the command."""

import sys

from symbody.cli import main

sys.exit(main())
