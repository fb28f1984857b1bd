"""What can be seen: the scene of a model, plots, drawings of circuits, animation, films, reports."""
