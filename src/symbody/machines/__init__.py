"""Built-in machines by name; each has a folder.

from symbody import machines

machines.names()                             # "piano", "car", "crane", … "stewart"
model = machines.model("stewart")            # arguments are those of its builder: model("n-pendulum", 10)
model = machines.open("my.yaml")             # from a file, or by name
machines.entry("piano").report(options)      # figures and plots; .page() is its studio page
"""

from symbody.machines.register import MachineEntry, entries, entry, find, model, names, open, steps
from symbody.visual.report_options import ReportOptions

__all__ = ["MachineEntry", "ReportOptions", "entries", "entry", "find", "model", "names", "open", "steps"]
