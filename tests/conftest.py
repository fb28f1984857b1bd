"""Tests build quickly and always the same code; where another tier is meant, they say so.

`SYMBODY_TIER=optimised make test` runs all of them in optimised code.
"""

import os

os.environ.setdefault("SYMBODY_TIER", "quick")
