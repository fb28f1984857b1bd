"""Motion cueing: a ski descent on a hexapod with an XY table, by five methods."""
