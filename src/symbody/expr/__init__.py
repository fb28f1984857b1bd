"""Scalar expression graph, vectors and matrices over it, derivatives; independent of mechanics."""
