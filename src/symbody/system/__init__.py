"""Everything with a state in one graph, traced once and compiled: ẋ = f(t, x, u, p) and y = g(t, x, u, p)."""
