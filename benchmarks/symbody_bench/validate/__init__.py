"""Benchmark problems with known solutions, solved and compared: `symbody validate`."""
