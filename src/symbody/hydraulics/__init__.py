"""Hydraulic mechanisms: beams, a cylinder with its valve, cases by closure and friction law, plots and reports."""
