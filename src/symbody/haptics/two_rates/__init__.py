"""A slow world and a fast hand: the local model between them, packets, lines, and the worlds themselves."""
