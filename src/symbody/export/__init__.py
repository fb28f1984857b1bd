"""Export of a system: as an FMU, as a folder of C for a microcontroller, as scripts for Octave and MATLAB."""

from symbody.export.c_folder import export_c
from symbody.export.fmu import export_fmu
from symbody.export.octave import export_octave

__all__ = ["export_c", "export_fmu", "export_octave"]
