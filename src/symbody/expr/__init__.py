"""Scalar expression graph, vectors and matrices over it, derivatives; knows no mechanics."""
