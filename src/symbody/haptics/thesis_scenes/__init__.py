"""Scenes of Constantinescu's thesis (UBC 2004) that several machines, commands and tests share."""
