"""Scripted scenes after Constantinescu's thesis (UBC 2004), with their measures: one module an experiment."""
