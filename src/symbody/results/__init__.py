"""Runs: channels over time with units, their files, and comparisons of two runs."""
