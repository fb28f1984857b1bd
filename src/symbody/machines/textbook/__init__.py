"""Models of one page each; the file and the picture of a model have the same stem."""
