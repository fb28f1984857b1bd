"""Laws as expressions, with states, parameters and energies: springs, friction, contact, tyres, hydraulics, drives.

An element is a frozen dataclass: its numbers are fields, its formulas methods that read as the textbook's. Attached to
a model under a name, its numbers become live parameters NAME_FIELD, its states NAME_STATE, and its energies signals:
NAME.stored (J), NAME.dissipated (W, never negative), NAME.supplied (W, into the system).
"""
