"""One instance of an FMU through FMPy, with the same words for FMI 2 and 3."""

import shutil
from pathlib import Path

import fmpy
import numpy as np
from fmpy.simulation import instantiate_fmu

KINDS = {"cs": "CoSimulation", "me": "ModelExchange"}


class Unit:
    """Values by their names; `messages` are what the FMU logged."""

    def __init__(self, path: Path, kind: str, token: str = ""):
        self.folder, self.messages = fmpy.extract(str(path)), []
        self.about = fmpy.read_model_description(self.folder)
        self.three = self.about.fmiVersion == "3.0"
        self.references = {v.name: v.valueReference for v in self.about.modelVariables}
        if token:
            self.about.guid = token
        self.fmu = instantiate_fmu(self.folder, self.about, KINDS[kind], logger=self._log)

    def _log(self, *arguments) -> None:
        self.messages.append(arguments[-1].decode())

    def close(self) -> None:
        self.fmu.freeInstance()
        shutil.rmtree(self.folder, ignore_errors=True)

    def simulate(self, **options) -> np.ndarray:
        """FMPy's own simulation; given an instance, it does not ask for the machines that it knows by name."""
        return fmpy.simulate_fmu(self.folder, model_description=self.about, fmu_instance=self.fmu, **options)

    def get(self, *names: str) -> np.ndarray:
        return np.array(self.get_at([self.references[name] for name in names]))

    def get_at(self, references: list[int]) -> list[float]:
        return (self.fmu.getFloat64 if self.three else self.fmu.getReal)(references)

    def set(self, values: dict[str, float]) -> None:
        self.set_at([self.references[name] for name in values], list(values.values()))

    def set_at(self, references: list[int], values: list[float]) -> None:
        (self.fmu.setFloat64 if self.three else self.fmu.setReal)(references, values)

    def initialise(self, values: dict[str, float] | None = None, t: float = 0.0) -> "Unit":
        if not self.three:
            self.fmu.setupExperiment(startTime=t)
        self.set(values or {})
        self.fmu.enterInitializationMode(**({"startTime": t} if self.three else {}))
        self.fmu.exitInitializationMode()
        return self

    def step(self, t: float, length: float) -> None:
        self.fmu.doStep(currentCommunicationPoint=t, communicationStepSize=length)

    def save(self):
        return self.fmu.getFMUState() if self.three else self.fmu.getFMUstate()

    def restore(self, state) -> None:
        (self.fmu.setFMUState if self.three else self.fmu.setFMUstate)(state)

    def free(self, state) -> None:
        (self.fmu.freeFMUState if self.three else self.fmu.freeFMUstate)(state)

    def to_bytes(self, state) -> bytes:
        return bytes((self.fmu.serializeFMUState if self.three else self.fmu.serializeFMUstate)(state))

    def from_bytes(self, data: bytes):
        return (self.fmu.deserializeFMUState if self.three else self.fmu.deSerializeFMUstate)(data)

    def rates(self, t: float, x: np.ndarray) -> np.ndarray:
        """dx/dt in model exchange."""
        import ctypes

        pointer = ctypes.POINTER(ctypes.c_double)
        x, xd = np.ascontiguousarray(x, dtype=float), np.zeros(len(x))
        self.fmu.setTime(t)
        self.fmu.setContinuousStates(x.ctypes.data_as(pointer), len(x))
        ask = self.fmu.getContinuousStateDerivatives if self.three else self.fmu.getDerivatives
        ask(xd.ctypes.data_as(pointer), len(x))
        return xd
