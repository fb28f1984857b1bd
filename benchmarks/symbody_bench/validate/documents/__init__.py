"""Figures and statements of the five documents beside what comes out here, for `symbody validate --documents`.

A module of this folder is a subject, such as `piano.py`. Its list `ROWS` has a `Row` for each figure: what the document
says, and a function that computes it. The command reads the folder, so a new module is enough to add rows.
"""
