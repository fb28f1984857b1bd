"""What a run is: channels over time with units, its files, and how two runs are compared."""
