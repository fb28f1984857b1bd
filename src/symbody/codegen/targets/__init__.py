"""Target languages of the code generator: C, Python, MATLAB and JavaScript."""
