"""Models of one page each; the file and the picture of a model stand beside it by the same stem."""
