"""Slow worlds and fast hands: local models, packets, links, and the worlds."""
