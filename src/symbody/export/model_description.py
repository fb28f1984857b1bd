"""The XML files of an FMU, for FMI 2 and FMI 3."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from symbody.export.variables import Interface, Variable
from symbody.units import base_units
from symbody.version import VERSION

_LOG = {"logStatusError": "errors", "logStatusWarning": "warnings"}


def model_description(
    version: int, title: str, name: str, token: str, face: Interface, step: float, sources: Sequence[str], slopes: bool
) -> str:
    """modelDescription.xml; `slopes`: whether there are exact derivatives."""
    root = Element("fmiModelDescription", fmiVersion=f"{version}.0", modelName=title)
    root.set("guid" if version == 2 else "instantiationToken", token)
    root.set("generationTool", f"symbody {VERSION}")
    root.set("variableNamingConvention", "flat")
    if version == 2:
        root.set("numberOfEventIndicators", "0")
    _interfaces(root, version, name, sources, slopes)
    _units(root, face)
    categories = SubElement(root, "LogCategories")
    for category, about in _LOG.items():
        SubElement(categories, "Category", name=category, description=about)
    SubElement(root, "DefaultExperiment", startTime="0.0", stepSize=repr(step))
    listed = SubElement(root, "ModelVariables")
    place = {variable.reference: k + 1 for k, variable in enumerate(face.variables)}
    for variable in face.variables:
        if version == 2:
            _real(listed, variable, place)
        else:
            _float64(listed, variable)
    _structure(SubElement(root, "ModelStructure"), version, face, place)
    return _text(root)


def build_description(name: str, sources: Sequence[str]) -> str:
    """buildDescription.xml of FMI 3: how to compile the sources."""
    root = Element("fmiBuildDescription", fmiVersion="3.0")
    configuration = SubElement(root, "BuildConfiguration", modelIdentifier=name)
    listed = SubElement(configuration, "SourceFileSet", language="C99")
    for source in sources:
        SubElement(listed, "SourceFile", name=source)
    SubElement(configuration, "Library", name="m", description="mathematics of the C library, if it is separate")
    return _text(root)


def _text(root: Element) -> str:
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _interfaces(root: Element, version: int, name: str, sources: Sequence[str], slopes: bool) -> None:
    """Model exchange and co-simulation with their capabilities."""
    state = "FMUstate" if version == 2 else "FMUState"
    both = {"modelIdentifier": name, f"canGetAndSet{state}": "true", f"canSerialize{state}": "true"}
    if slopes and version == 2:
        both["providesDirectionalDerivative"] = "true"
    elif slopes:
        both |= {"providesDirectionalDerivatives": "true", "providesAdjointDerivatives": "true"}
    stepping = {"canHandleVariableCommunicationStepSize": "true"}
    if version == 2:
        stepping["canInterpolateInputs"] = "true"
    for kind, own in (("ModelExchange", {}), ("CoSimulation", stepping)):
        element = SubElement(root, kind, {**both, **own})
        if version == 2:
            files = SubElement(element, "SourceFiles")
            for source in sources:
                SubElement(files, "File", name=source)


def _units(root: Element, face: Interface) -> None:
    names = sorted({variable.unit for variable in face.variables if variable.unit})
    if not names:
        return
    definitions = SubElement(root, "UnitDefinitions")
    for name in names:
        unit = SubElement(definitions, "Unit", name=name)
        base = base_units(name)
        if base is not None:
            SubElement(unit, "BaseUnit", {k: str(n) for k, n in base.items()})


def _common(variable: Variable) -> dict[str, str]:
    made = {"name": variable.name, "valueReference": str(variable.reference)}
    made |= {"description": variable.about} if variable.about else {}
    made |= {"causality": variable.causality, "variability": variable.variability}
    return made | ({"initial": variable.initial} if variable.initial else {})


def _value(variable: Variable) -> dict[str, str]:
    made = {"unit": variable.unit} if variable.unit else {}
    return made | ({"start": repr(variable.start)} if variable.start is not None else {})


def _real(listed: Element, variable: Variable, place: dict[int, int]) -> None:
    """A variable of FMI 2; a derivative refers to its state by the index in the list."""
    scalar = SubElement(listed, "ScalarVariable", _common(variable))
    state = {} if variable.state is None else {"derivative": str(place[variable.state])}
    SubElement(scalar, "Real", {**_value(variable), **state})


def _float64(listed: Element, variable: Variable) -> None:
    """A variable of FMI 3; a derivative refers to its state by the reference."""
    state = {} if variable.state is None else {"derivative": str(variable.state)}
    SubElement(listed, "Float64", {**_common(variable), **_value(variable), **state})


def _structure(root: Element, version: int, face: Interface, place: dict[int, int]) -> None:
    """Outputs, derivatives and initial unknowns; FMI 2 uses indices from one, FMI 3 references."""
    outputs = [v for v in face.variables if v.causality == "output"]
    rates = [v for v in face.variables if v.state is not None]
    starts = [v for v in face.variables if v.initial == "calculated"]
    groups = (
        ("Outputs", "Output", outputs),
        ("Derivatives", "ContinuousStateDerivative", rates),
        ("InitialUnknowns", "InitialUnknown", starts),
    )
    for group, element, members in groups:
        if version == 2 and not members:
            continue
        into = SubElement(root, group) if version == 2 else root
        for variable in members:
            key = {"index": place[variable.reference]} if version == 2 else {"valueReference": variable.reference}
            attributes = {name: str(value) for name, value in key.items()}
            depends = face.depends.get(variable.reference) if members is not starts else None
            if depends is not None:
                numbers = [place[r] if version == 2 else r for r in depends]
                attributes["dependencies"] = " ".join(map(str, sorted(numbers)))
            SubElement(into, "Unknown" if version == 2 else element, attributes)
