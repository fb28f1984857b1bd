"""A motion platform to move: a hexapod on an XY table, with closed forms beside the engine, 8 degrees of freedom."""
