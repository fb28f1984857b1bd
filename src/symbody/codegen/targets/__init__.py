"""Target languages of the code generator: C, Python and MATLAB."""
