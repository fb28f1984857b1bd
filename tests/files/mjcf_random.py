# ruff: noqa: E501  tables of attributes
"""Random MJCF files: a tree with default classes in classes, and joints, tendons, equalities and actuators with any of
their attributes. For tests that compare our reading with MuJoCo's."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

Value = Callable[[random.Random], str]
Family = Mapping[str, Value]


def numbers(count: int, low: float, high: float) -> Value:
    return lambda rng: " ".join(f"{rng.uniform(low, high):.3g}" for _ in range(count))


def one_of(*words: str) -> Value:
    return lambda rng: rng.choice(words)


def interval(low: float, high: float) -> Value:
    return lambda rng: " ".join(f"{x:.3g}" for x in sorted(rng.uniform(low, high) for _ in range(2)))


def around(size: float) -> Value:
    """A range with 0 in it."""
    return lambda rng: f"{-rng.uniform(0.1, size):.3g} {rng.uniform(0.1, size):.3g}"


def upto(most: int, low: float, high: float) -> Value:
    """One number, or sometimes more."""
    return lambda rng: numbers(rng.choice((1, 1, 1, most)), low, high)(rng)


JOINT: Family = {
    "axis": one_of("1 0 0", "0 1 0", "1 2 -1", "0 0 -1", "0.3 0 1"),
    "pos": numbers(3, -0.1, 0.1),
    "armature": numbers(1, 0, 0.3),
    "damping": upto(3, 0, 2),
    "stiffness": upto(3, 0, 5),
    "springref": numbers(1, -30, 30),
    "springdamper": numbers(2, 0.1, 1),
    "ref": numbers(1, -30, 30),
    "frictionloss": numbers(1, 0, 1),
    "range": around(40),
    "limited": one_of("auto", "auto", "false"),
    "actuatorfrcrange": around(3),
    "actuatorfrclimited": one_of("auto", "auto", "false"),
    "actuatorgravcomp": one_of("true", "false"),
    "margin": numbers(1, 0, 0.1),
    "solreflimit": one_of("0.05 1", "-1000 -30"),
    "solimpfriction": one_of("0.8 0.9 0.01"),
    "springyield": one_of("0", "0.5"),
    "group": one_of("0", "3"),
}
TENDON: Family = {
    "stiffness": upto(3, 0, 20),
    "damping": upto(3, 0, 2),
    "frictionloss": numbers(1, 0, 1),
    "springlength": one_of("0.1", "0.05 0.3", "0", "-1"),
    "range": interval(-0.4, 0.8),
    "limited": one_of("auto", "false"),
    "actuatorfrcrange": around(3),
    "armature": one_of("0", "0.1"),
    "margin": numbers(1, 0, 0.1),
    "group": one_of("0", "3"),
    "springyield": one_of("0", "0.5"),
}
SHARED: Family = {
    "gear": upto(6, -2, 3),
    "ctrlrange": around(1),
    "ctrllimited": one_of("auto", "auto", "false"),
    "forcerange": around(4),
    "forcelimited": one_of("auto", "auto", "false"),
    "group": one_of("0", "2"),
    "armature": one_of("0", "0.2"),
    "damping": one_of("0", "0.3"),
    "delay": one_of("0"),
}
INHERITING: Family = {"inheritrange": one_of("0", "0.9")}
PRM = numbers(3, -3, 3)
ACTUATORS: dict[str, Family] = {
    "motor": {},
    "position": {"kp": numbers(1, 1, 30), "kv": numbers(1, 0, 3), "timeconst": numbers(1, 0.1, 1), **INHERITING},
    "velocity": {"kv": numbers(1, 0, 5)},
    "intvelocity": {"kp": numbers(1, 1, 30), "kv": numbers(1, 0, 3), "actrange": around(1), **INHERITING},
    "damper": {"kv": numbers(1, 0, 5)},
    "cylinder": {"area": numbers(1, 0.1, 2), "diameter": numbers(1, 0.5, 2), "bias": PRM, "timeconst": numbers(1, 0.1, 1)},
    "muscle": {"timeconst": numbers(2, 0.01, 0.1), "range": one_of("0.6 1.2"), "force": numbers(1, 1, 50), "scale": numbers(1, 50, 200),
               "lmin": numbers(1, 0.3, 0.6), "lmax": numbers(1, 1.5, 1.8), "vmax": numbers(1, 1, 2), "fpmax": numbers(1, 1, 2), "fvmax": numbers(1, 1.1, 1.5)},
    "general": {"gainprm": PRM, "biasprm": PRM, "dynprm": numbers(1, 0.1, 1), "gaintype": one_of("fixed", "affine"), "biastype": one_of("none", "affine"),
                "dyntype": one_of("none", "filter", "filterexact", "integrator"), "actrange": around(1), "actearly": one_of("true", "false"),
                "actlimited": one_of("auto", "false")},
}  # fmt: skip
EQUALITY: Family = {"solref": one_of("0.05 1"), "solimp": one_of("0.8 0.9 0.01"), "active": one_of("true", "false")}


def drawn(rng: random.Random, family: Family, share: float) -> dict[str, str]:
    return {key: value(rng) for key, value in family.items() if rng.random() < share}


def tag(name: str, attributes: Mapping[str, str], inside: str = "") -> str:
    written = " ".join(f'{key}="{value}"' for key, value in attributes.items())
    return f"<{name} {written}>{inside}</{name}>"


def random_mjcf(seed: int) -> str:
    """A file by its number."""
    rng = random.Random(seed)
    joints = [f"j{k}" for k in range(rng.randint(2, 4))]
    body, world = "", ""
    for k, name in reversed(list(enumerate(joints))):
        kind = rng.choice(("hinge", "hinge", "slide"))
        own = drawn(rng, JOINT, 0.15)
        if kind == "slide":
            own = {key: value for key, value in own.items() if key not in ("ref", "springref", "range")}
            own["range"] = "-0.2 0.3"
        made = tag("joint", {"name": name, "type": kind, **_classed(rng), **own})
        shape = tag("geom", {"type": "box", "size": numbers(3, 0.05, 0.2)(rng), "pos": numbers(3, -0.1, 0.1)(rng)})
        site = tag("site", {"name": f"s{k}", "pos": numbers(3, -0.1, 0.1)(rng)})
        place = {"name": f"b{k}", "pos": numbers(3, -0.3, 0.3)(rng), "euler": numbers(3, -90, 90)(rng)}
        place |= {"childclass": "c"} if rng.random() < 0.3 else {}
        place |= {"gravcomp": "0.7"} if rng.random() < 0.3 else {}
        apart = rng.random() < 0.3
        whole = tag("body", place, made + shape + site + ("" if apart else body))
        world, body = (world + body, whole) if apart else (world, whole)
    return (
        f"<mujoco>{_settings(rng)}{_defaults(rng)}<worldbody>{tag('site', {'name': 'w', 'pos': '0.1 0.2 0.9'})}{body}{world}</worldbody>"
        f"{_tendons(rng, joints)}{_equalities(rng, joints)}{_actuators(rng, joints)}</mujoco>"
    )


def _settings(rng: random.Random) -> str:
    flags = ("spring", "damper", "actuation", "equality", "gravity", "clampctrl")
    flag = tag("flag", {rng.choice(flags): "disable"} if rng.random() < 0.3 else {})
    compiler = {"autolimits": "true", "eulerseq": rng.choice(("xyz", "ZYX", "zxz"))}
    return tag("compiler", compiler) + tag("option", {"gravity": numbers(3, -9, 9)(rng)}, flag)


def _classed(rng: random.Random) -> dict[str, str]:
    return {"class": rng.choice(("c", "d"))} if rng.random() < 0.5 else {}


def _defaults(rng: random.Random) -> str:
    def own() -> str:
        kind = rng.choice(list(ACTUATORS))
        free = {key: value for key, value in JOINT.items() if key not in ("range", "ref", "springref")}
        acting = {key: value for key, value in {**SHARED, **ACTUATORS[kind]}.items() if key != "inheritrange"}
        parts = [
            tag("joint", drawn(rng, free, 0.15)),
            tag("tendon", drawn(rng, {k: v for k, v in TENDON.items() if k != "range"}, 0.15)),
            tag("equality", drawn(rng, EQUALITY, 0.2)),
            tag(
                kind,
                {
                    key: value
                    for key, value in drawn(rng, acting, 0.2).items()
                    if kind != "damper" or key != "ctrllimited"
                },
            ),
        ]
        return "".join(part for part in parts if rng.random() < 0.5)

    inner = tag("default", {"class": "c"}, own() + tag("default", {"class": "d"}, own()))
    return tag("default", {}, own() + inner)


def _tendons(rng: random.Random, joints: list[str]) -> str:
    levers = "".join(tag("joint", {"joint": name, "coef": numbers(1, -1, 1)(rng)}) for name in joints[:2])
    ends = tag("site", {"site": "w"}) + tag("site", {"site": f"s{len(joints) - 1}"})
    made = tag("fixed", {"name": "t", **_classed(rng), **drawn(rng, TENDON, 0.25)}, levers)
    return tag("tendon", {}, made + tag("spatial", {"name": "p", **_classed(rng), **drawn(rng, TENDON, 0.25)}, ends))


def _equalities(rng: random.Random, joints: list[str]) -> str:
    coupled = {"joint1": joints[0], "joint2": joints[1], "polycoef": numbers(5, -0.5, 0.5)(rng)}
    locked = {"joint1": joints[-1], "polycoef": numbers(1, -0.3, 0.3)(rng) + " 0 0 0 0"}
    made = [
        tag("joint", {"name": "e0", **coupled, **_classed(rng), **drawn(rng, EQUALITY, 0.3)}),
        tag("joint", {"name": "e1", **locked, **_classed(rng), **drawn(rng, EQUALITY, 0.3)}),
        tag("connect", {"name": "e2", "body1": f"b{len(joints) - 1}", "anchor": numbers(3, -0.1, 0.1)(rng), **drawn(rng, EQUALITY, 0.3)}),
        tag("weld", {"name": "e3", "body1": "b0", "body2": f"b{len(joints) - 1}", **drawn(rng, EQUALITY, 0.3)}),
    ]  # fmt: skip
    return tag("equality", {}, "".join(one for one in made if rng.random() < 0.25))


def _actuators(rng: random.Random, joints: list[str]) -> str:
    made = []
    for k in range(rng.randint(1, 4)):
        kind = rng.choice(list(ACTUATORS))
        needed = {"intvelocity": {"actrange": "-1 1"}, "damper": {"ctrlrange": "0 1"}}.get(kind, {})
        target = rng.choice(({"joint": rng.choice(joints)}, {"tendon": rng.choice("tp")}))
        if kind in ("motor", "general") and rng.random() < 0.2:
            target = {"site": "s0", "armature": "0", "damping": "0"}
        own = {key: value for key, value in drawn(rng, {**SHARED, **ACTUATORS[kind]}, 0.3).items() if key not in target}
        if kind == "damper":
            own.pop("ctrllimited", None)
        if "inheritrange" in own:
            own = {key: value for key, value in own.items() if key not in ("ctrlrange", "actrange")}
            needed = {}
        made.append(tag(kind, {"name": f"x{k}", **target, "lengthrange": "-1 1", **own, **_classed(rng), **needed}))
    return tag("actuator", {}, "".join(made))
