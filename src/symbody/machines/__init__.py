"""Machines that come along, each in a folder of its own, by name.

from symbody import machines

machines.names()                             # "piano", "car", "crane", … "stewart"
model = machines.model("stewart")            # built; arguments as its builder has them: model("n-pendulum", 10)
model = machines.open("my.yaml")             # from a file, or by name
machines.entry("piano").report(options)      # figures and plots; .page() is what the studio shows
"""

from symbody.machines.register import MachineEntry, entries, entry, find, model, names, open, steps
from symbody.machines.report_options import ReportOptions

__all__ = ["MachineEntry", "ReportOptions", "entries", "entry", "find", "model", "names", "open", "steps"]
