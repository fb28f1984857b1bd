"""Built-in machines by name; each has a folder.

from symbody import machines

machines.names()                             # "piano", "car", "crane", … "stewart"
model = machines.model("stewart")            # arguments are those of its builder: model("n-pendulum", 10)
model = machines.open("my.yaml")             # from a file, or by name
machines.entry("piano").report(options)      # figures and plots; .page() is its studio page

Examples
--------
>>> from symbody import machines
>>> "four-bar" in machines.names(), len(machines.entries()) == len(machines.names())
(True, True)
>>> machines.model("n-pendulum", 3).nv, machines.open("four-bar").nv
(3, 3)
>>> one: machines.MachineEntry = machines.entry("crane")
>>> one.has_report, sorted(machines.steps("crane"))[:2]
(True, ['closure', 'dt'])
>>> machines.find("a-file.yaml") is None
True
>>> quick = machines.ReportOptions(until=0.5)
"""

from symbody.machines.register import MachineEntry, entries, entry, find, model, names, open, steps
from symbody.visual.report_options import ReportOptions

__all__ = ["MachineEntry", "ReportOptions", "entries", "entry", "find", "model", "names", "open", "steps"]
