"""Everything with a state in one graph, traced once: ẋ = f(t, x, u, p) and y = g(t, x, u, p), compiled."""
