"""Pictures: the scene of a model, plots, drawings of circuits, animations, films, reports."""
