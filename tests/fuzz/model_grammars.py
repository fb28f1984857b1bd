"""Model files from grammars of their formats: deep, wide, doubling, chained and self-including ones.

Each function takes a random generator, a shape and a size, and returns the text of a file named `SELF`. The files of
`COMPANIONS` lie in the same folder; some include each other, and some include two others each.
"""

import json

from grammar_words import STRANGE, direction, earlier, formula, name, nested, number, numbers, positive

LEVELS = 12  # of files that include two others each
SELF = "model"  # the stem of the file that is read
MESH = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
XACRO = "<robot name='x' xmlns:xacro='http://www.ros.org/wiki/xacro'>{}</robot>"
SDF = "<sdf version='1.7'><model name='m'>{}</model></sdf>"


def _companions():
    files = {"part.obj": MESH, "part.xml": "<mujoco><body><joint/><geom size='1'/></body></mujoco>"}
    files["part.sdf"] = SDF.format("<link name='l'/>")
    files["part.xacro"] = XACRO.format("<xacro:property name='given' value='1'/>")
    files["large.xml"] = f"<mujoco>{'<body/>' * 1500}</mujoco>"
    files["large.sdf"] = SDF.format("<link name='l'/>" + "<x/>" * 2500)
    files["large.obj"] = MESH + "f 1 2 3\n" * 1000
    files["many.yaml"] = "\n".join(f"a{k}: {k}" for k in range(100))
    for k in range(LEVELS):
        for kind, text in {
            "xml": f"<mujoco>{_includes(f'd{k + 1}', 'xml') * 2}</mujoco>",
            "sdf": SDF.format(_includes(f"d{k + 1}", "sdf") * 2 + "<link name='l'/>"),
            "xacro": XACRO.format(_includes(f"d{k + 1}", "xacro") * 2),
        }.items():
            files[f"d{k}.{kind}"] = text
    for kind in ("xml", "sdf", "xacro"):
        files[f"d{LEVELS}.{kind}"] = files[f"part.{kind}"]
        one, other = (
            (SDF if kind == "sdf" else XACRO if kind == "xacro" else "<mujoco>{}</mujoco>").format(_includes(to, kind))
            for to in ("other", "one")
        )
        files[f"one.{kind}"], files[f"other.{kind}"] = one, other
    return files


def _includes(stem, kind):
    if kind == "sdf":
        return f"<include><uri>{stem}.sdf</uri></include>"
    return f"<include file='{stem}.xml'/>" if kind == "xml" else f"<xacro:include filename='{stem}.xacro'/>"


COMPANIONS = _companions()


def include(rng, kind, shape):
    """An include: of the file itself, of two that include each other, of two below, of a small part, of nothing."""
    to = {"self": (SELF, "one"), "doubling": ("d0", "d6")}.get(
        shape, ("part", "part", "large", rng.pick("part", "none"))
    )
    return _includes(rng.choice(to), kind)


# -- YAML --------------------------------------------------------------------------------------------------------------


def law(rng, shape, n, names):
    """A law: a formula, or named parts that use the parts before them."""
    if rng.random() < 0.5:
        return json.dumps(formula(rng, shape if rng.edge else "wide", min(n, 400), names))
    parts = []
    for k in range(n):
        before = earlier(rng, k, "chained" if shape == "wide" else shape)
        used = rng.choice(names) if before is None else f"p{before}"
        parts.append(f"p{k}: {used}{f'*{used}' if shape == 'doubling' else ' + 1'}")
    return f"{{let: {{{', '.join(parts)}}}, values: {rng.choice([f'p{n - 1}' if n else '1', *names])}}}"


def yaml_bodies(rng, shape, n):
    lines = ["bodies:"]
    for k in range(n):
        before = earlier(rng, k, shape)
        on = "" if before is None else f"on: {name(rng, before)}{rng.choice(('', '.tip', '.tip'))}, "
        joints = rng.choice(("R1", "R2", "T3", "free", "ball", "R1 T2 R3", "R1 " * rng.randrange(1, 20)))
        joints = rng.pick(joints, "planar", "R4", "[R1, {type: R2}]", "[]")
        mass = f"mass: {positive(rng)}, inertia: [{positive(rng)}, 1, {positive(rng)}], " if rng.random() < 0.9 else ""
        lines.append(f"  {name(rng, k)}: {{{on}joints: {joints}, {mass}points: {{tip: [{number(rng)}, 0, L]}}}}")
    return "\n".join(lines) if n else ""


def yaml_laws(rng, shape, n):
    kind = rng.choice(
        ("states", "signals", "limits", "constraints", "joint_forces", "couplings", "force_sites", "links")
    )
    lines = [f"{kind}:"]
    few = 1 if kind == "joint_forces" else max(1, min(n, 60))
    for k in range(few):
        own = {"states": f"s{earlier(rng, k, shape) or 0}", "joint_forces": "qd", "links": "length"}.get(kind, "u")
        own = rng.pick(own, "g0", "nothing", "b0")
        says = law(rng, shape, max(1, n // few), ["L", "t", "u", own])
        entry = {
            "joint_forces": says, "couplings": f"{{joints: [{name(rng, 0)}], law: {says}}}",
            "force_sites": f"{{point: {name(rng, 0)}, law: [{number(rng)}, 0, 1]}}",
            "links": f"{{between: [{name(rng, 0)}, ground], law: {says}}}",
        }.get(kind, f"{{law: {says}}}")  # fmt: skip
        lines.append(f"  {name(rng, k, 'b' if kind == 'joint_forces' else 's' if kind == 'states' else 'g')}: {entry}")
    return "\n".join(lines)


def yaml_circuit(rng, shape, n):
    lines = ["circuits:", "  oil:", "    elements:", "      v0: {kind: source, pressure: 1e5}"]
    for k in range(1, n + 1):
        to = earlier(rng, k, shape) or 0
        lines += [f"      v{k}: {{kind: volume, size: {positive(rng)}}}"]
        lines += [f"      t{k}: {{kind: throttle, a: v{to}, b: v{k}, area: 1e-6}}"]
    return "\n".join(lines)


def yaml_nodes(rng, shape, n):
    """YAML itself: brackets, anchors that double, an anchor that contains itself, long words, comments."""
    if shape == "doubling":
        return "a0: &a0 x\n" + "\n".join(f"a{k + 1}: &a{k + 1} [*a{k}, *a{k}]" for k in range(n))
    if shape == "self":
        return rng.choice(("x: &a [*a]", "x: &a {<<: *a}", "? *a\n: &a 1", "!!python/name:os.system x", "--- x\n--- y"))
    if shape == "deep":
        return "x: " + rng.choice(
            (nested(n, "[", "", "]"), nested(n, "{a: ", "1", "}"), nested(n, "- ", "1", ""), "[" * n)
        )
    return rng.choice(
        ("# x\n" * n, "x: " + "a" * n, "x: |\n" + "  a\n" * n, "? " * n, "\t" * n, "'" * n, "x: [" + "1, " * n)
    )


def yaml(rng, shape, n):
    parts = ["symbody: 1", f"name: {json.dumps(rng.pick('m', *STRANGE))}"]
    parts.append("inputs: {u: 0}")
    many = ", ".join(f"{name(rng, k, 'c')}: {number(rng)}" for k in range(rng.choice((0, 2, n))))
    parts.append(f"parameters: {{L: 0.5, {many}}}")
    parts.append(yaml_bodies(rng, shape, rng.choice((1, 3, n))))
    for made in rng.sample((yaml_laws, yaml_circuit, yaml_nodes), rng.randrange(3)):
        if made is not yaml_nodes or rng.edge:
            parts.append(made(rng, shape, n))
    return "\n".join(parts) + "\n"


# -- .mbs --------------------------------------------------------------------------------------------------------------


def _mbs_end(rng, tag, body):
    point = rng.pick("origin" if body == "base" else "tip", "p", "")
    return f"<{tag}><bodyname>{body}</bodyname><pointname>{point}</pointname></{tag}>"


def mbs(rng, shape, n):
    bodies, more = [], []
    for k in range(n):
        before = earlier(rng, k, shape)
        on = "base" if before is None else f"b{before}"
        joint = f"<joint><jointname>{name(rng, k, 'j')}</jointname><type>{rng.choice(('R1', 'R2', 'T3'))}</type>"
        joint += f"<nature>{rng.pick('independent', 'dependent', 'forced', 'driven', 'x')}</nature></joint>"
        tip = f"<point><pointname>tip</pointname><coordinates><x>{number(rng)}</x></coordinates></point>"
        bodies.append(
            f"<body><bodyname>{name(rng, k)}</bodyname>{_mbs_end(rng, 'parent', on)}{joint * rng.pick(1, 0, 2)}"
            f"<mass>{positive(rng)}</mass><inertia><Ixx>1</Ixx><Iyy>1</Iyy><Izz>{positive(rng)}</Izz></inertia>"
            f"{tip * rng.pick(1, 0, 3)}</body>"
        )
    for k in range(rng.choice((0, 1, n))):
        ends = _mbs_end(rng, "endpoint1", f"b{k}") + _mbs_end(rng, "endpoint2", rng.pick("base", "b0"))
        kind = rng.choice(("rod", "ball", "solid"))
        more.append(f"<{kind}><name>c{k}</name>{ends}<length>{positive(rng)}</length></{kind}>")
    inside = nested(n, "<graphics>", "x", "</graphics>") if shape == "deep" else "<!--" + "x" * n + "-->"
    tree = f"<bodytree>{''.join(bodies)}</bodytree><cuts>{''.join(more)}</cuts>{inside}"
    return f"<mbsDescR7><mbsname>m</mbsname><base><gravity/></base>{tree}</mbsDescR7>"


# -- URDF and xacro ----------------------------------------------------------------------------------------------------


def urdf_parts(rng, shape, n):
    parts = ["<link name='b0'/>"]
    for k in range(1, n + 1):
        to = earlier(rng, k, shape)
        file = rng.choice(("part", "large"))
        mesh = (
            f"<visual><geometry><mesh filename='{file}.obj' scale='1 1 1'/></geometry></visual>"
            if rng.random() < 0.1
            else ""
        )
        parts.append(
            f"<link name='{name(rng, k)}'><inertial><origin xyz='{numbers(rng)}' "
            f"rpy='{numbers(rng)}'/><mass value='{positive(rng)}'/>"
            f"<inertia ixx='{positive(rng)}' iyy='1' izz='1'/></inertial>"
            f"{mesh}</link>"
        )
        mimic = (
            f"<mimic joint='j{rng.pick(max((to or 1), 1) if (to or 1) < k else 0, k, n)}' multiplier='{number(rng)}'/>"
            if rng.random() < 0.1
            else ""
        )
        kind = rng.pick(rng.choice(("revolute", "continuous", "prismatic", "fixed")), "planar", "floating", "spherical")
        parts.append(
            f"<joint name='j{k}' type='{kind}'><parent link='b{to or 0}'/><child link='b{k}'/>"
            f"<origin xyz='{numbers(rng)}'/><axis xyz='{direction(rng)}'/>"
            f"<limit lower='{number(rng)}' upper='1' effort='1'/>"
            f"{mimic}</joint>"
        )
    if shape == "deep":
        parts.append(nested(n, "<gazebo>", "", "</gazebo>"))
    return "".join(parts)


def urdf(rng, shape, n):
    return f"<robot name='m'>{urdf_parts(rng, shape, n)}</robot>"


CALLS = (
    "'a'*{n}", "round(1, -{n})", "round({n}, {n})", "3**{n}", "2**2**{n}", "str(x)*{n}", "[x]*{n}",
    "('a'*{n}).replace('a', 'b'*{n})", "max(p{n}, q{n})", "len(str(2**{n}))", "'{{}}'.format(x)", "'%{n}d' % 1",
    "x.split('a')", "p{n} == q{n}", "p{n} in [q{n}]", "'a'.join('b'*{n})", "dict(a=1)", "load_yaml('many.yaml')",
    "load_yaml('../x')", "p{n}[0][0]", "x.__class__", "(lambda: 1)()", "[y for y in range({n})]", "range({n})",
    "int('9'*{n})", "float('1e{n}')", "-x", "not x", "x if p{n} else 1", "1 << {n}", "fmod({n}, 0)", "sqrt(-{n})",
    "f'{{x:{n}}}'", "sum([1]*{n})", "{n} % 0", "abs(-{n})", "hypot({n}, {n})", "0x{n}", "x[{n}]",
)  # fmt: skip


def xacro(rng, shape, n):
    parts = ["<xacro:property name='x' value='1'/>"]
    few = min(n, 40) if shape == "doubling" else n
    pair = rng.choice(("[{0}, {0}]", "{0} + {0}", "{0}*{0}", "str({0}) + str({0})", "{0} + 1", "max({0}, {0})"))
    circle = shape == "self" and rng.edge
    for letter in "pq":
        first = rng.choice(("${[1]}", "2", "2", "1.5", rng.pick("1", "ab", "${{1: 2}}")))
        parts.append(f"<xacro:property name='{letter}0' value='{first}'/>")
        for k in range(few):
            to = few - k if circle else k
            parts.append(f"<xacro:property name='{letter}{k + 1}' value='${{{pair.format(f'{letter}{to}')}}}'/>")
    for _ in range(rng.randrange(1, 4)):
        kind = rng.choice((0, 3, 3, 5, 6, 7)) if shape != "self" or not rng.edge else rng.randrange(8)
        at = rng.choice((few, rng.randrange(few + 1), rng.pick(few, 10 ** rng.randrange(1, 9))))
        if kind in (0, 2):
            parts.append(f"<xacro:property name='y' value=\"${{{rng.choice(CALLS).format(n=at)}}}\"/><b c='${{y}}'/>")
        elif kind == 3:  # macros that call the one before, once or twice, or themselves
            twice = 2 if shape == "doubling" else 1
            levels = min(few, rng.choice((6, 12, rng.pick(40, 60))))
            for k in range(levels):
                to = k if circle else max(k - 1, 0)
                call = f"<xacro:m{to} a='${{a}}'/>" if k or circle else "<l name='${a}'/>"
                takes = rng.pick("a:=1", "a", "*b", "a:=^|2 **c")
                parts.append(f"<xacro:macro name='m{k}' params='{takes}'>{call * twice}</xacro:macro>")
            parts.append(f"<xacro:m{levels - 1}/>" if levels else "")
        elif kind in (1, 4):
            parts.append(include(rng, "xacro", shape) * rng.choice((1, 1, min(n, 30))))
        elif kind == 5:
            text = rng.pick(rng.choice(("${x}", "$${", "${'a'}", "$(eval 1)", "${", "$(")), "$(arg x)", "$(find p)")
            parts.append(f'<b name="{text * n}"/>')
        elif kind == 6:
            block = "<xacro:insert_block name='o'/>" * (2 if shape == "doubling" else 1)
            inside = nested(rng.pick(0, min(n, 30)), "<xacro:w><a>", block, "</a></xacro:w>")
            parts.append(f"<xacro:macro name='w' params='*o'>{inside}</xacro:macro>")
            parts.append("<xacro:w><origin/></xacro:w>")
        else:
            said = formula(rng, shape if rng.edge else "wide", min(n, 300), ("x", "2", "3")).replace("<", "&lt;")
            parts.append(nested(min(n, 60), f"<xacro:if value='${{{said}}}'>", "<b/>", "</xacro:if>"))
    parts.append(urdf_parts(rng, shape, min(n, 3)))
    return XACRO.format("".join(parts))


# -- MJCF --------------------------------------------------------------------------------------------------------------


CLASS, MOTOR = "<default class='c{}'><geom b='1'/></default>", "<motor joint='j{}' gear='2'/>"
SITE, ASSET = "<site site='s{}'/>", "<mesh name='m{}' file='part.obj'/>"
EQUAL = "<joint joint1='j{0}' joint2='j{0}' polycoef='0 1'/>"


def joined(text, which):
    return "".join(map(text.format, which))


def mjcf_body(rng, k, inside=""):
    joint = rng.choice(
        ("", "<freejoint/>", f"<joint name='j{k}' axis='{direction(rng)}' range='-1 1'/>", "<joint type='ball'/>")
    )
    if k == 0 or ("free" in joint and inside):
        joint = f"<joint name='j{k}' axis='{direction(rng)}'/>"
    kind = rng.choice(("sphere", "capsule", "box"))
    geom = f"<geom class='{name(rng, 0, 'c')}' type='{kind}' size='1 1 {positive(rng)}'/>"
    geom += rng.pick("", "<geom type='mesh' mesh='part'/>", "<geom type='mesh'/>", "<geom class='c7'/>")
    turn = rng.choice(("", f"euler='{numbers(rng)}'", "quat='1 0 0.5 0'", "childclass='c0'"))
    return f"<body name='b{k}' pos='{numbers(rng)}' {turn}>{joint}{geom}<site name='s{k}'/>{inside}</body>"


def mjcf_world(rng, shape, n):
    if shape in ("deep", "chained"):
        text = ""
        for k in range(min(n, rng.pick(40, 60, 120))):
            text = mjcf_body(rng, k, text)
        return text
    if shape == "doubling":
        count = rng.pick(2, 3, 10, 100, 10**6)
        around = f"<replicate count='{count}' offset='1 0 0' euler='{numbers(rng)}' sep='-'>"
        return nested(min(n, rng.choice((3, 6, 40))), around, mjcf_body(rng, 0), "</replicate>")
    if rng.random() < 0.3:
        return "".join(f"<replicate count='{rng.choice((1, 2))}'>{mjcf_body(rng, k)}</replicate>" for k in range(n))
    return "".join(mjcf_body(rng, k) for k in range(n))


def mjcf_defaults(rng, shape, n):
    given = " ".join(f"a{k}='{number(rng)}'" for k in range(rng.choice((0, 3, n))))
    inner = f"<geom size='1' {given}/><joint damping='1'/>"
    if shape in ("deep", "doubling", "self"):
        depth = max(1, min(n, rng.pick(90, 120)))
        opened = "".join(f"<default class='c{0 if rng.wrong() else k}'>{inner}" for k in range(depth))
        return f"<default>{opened}{'</default>' * depth}</default>"
    return f"<default>{inner}{joined(CLASS, range(max(n, 1)))}</default>"


def mjcf_others(rng, shape, n):
    """Actuators, tendons, equalities, keyframes: each refers to names of bodies and joints."""
    some, kind = [rng.randrange(n + 1) if rng.wrong() else 0 for _ in range(n)], rng.randrange(5)
    if kind == 0:
        return f"<actuator>{joined(MOTOR, some)}</actuator>"
    if kind == 1:
        tendon = f"<spatial name='t' stiffness='1'>{joined(SITE, some)}</spatial>"
        return f"<tendon>{tendon}</tendon><actuator><motor tendon='t'/></actuator>"
    if kind == 2:
        return f"<equality>{joined(EQUAL, some)}</equality>"
    if kind == 3:
        return f"<keyframe><key name='k' qpos='{numbers(rng, n)}'/></keyframe>"
    return f"<asset>{joined(ASSET, range(n))}<mesh name='part' file='part.obj'/></asset>"


def mjcf(rng, shape, n):
    parts = [f"<compiler angle='{rng.choice(('degree', 'radian'))}' eulerseq='{rng.pick('xyz', 'XYZ', 'zzz', 'a')}'/>"]
    parts.append(mjcf_defaults(rng, shape, n if rng.random() < 0.5 else 1))
    inside = mjcf_world(rng, shape, rng.choice((1, 3, n)))
    if (rng.random() < 0.1 and shape != "self") or rng.wrong():
        inside += include(rng, "xml", shape) * rng.choice((1, 1, min(n, 30)))
    parts.append(f"<worldbody>{inside}</worldbody>")
    parts += [mjcf_others(rng, shape, n) for _ in range(rng.randrange(3))]
    if rng.wrong():
        parts.append(nested(n, "<custom>", "", "</custom>"))
    return f"<mujoco model='m'>{''.join(parts)}</mujoco>"


# -- SDF ---------------------------------------------------------------------------------------------------------------


def sdf(rng, shape, n):
    parts = ["<link name='b0'/>"]
    for k in range(1, rng.choice((1, 3, n)) + 1):
        to = earlier(rng, k, shape) or 0
        parts.append(
            f"<link name='b{k}'>"
            f"<pose relative_to='{rng.pick(f'b{to}', '', f'f{to}', f'b{k}', 'x')}'>{numbers(rng, 6)}</pose>"
            f"<inertial><mass>{positive(rng)}</mass></inertial></link>"
            f"<joint name='j{k}' type='{rng.pick('revolute', 'ball', 'universal', 'fixed', 'screw', 'x')}'>"
            f"<parent>b{to}</parent><child>b{k}</child><axis><xyz>{direction(rng)}</xyz></axis></joint>"
        )
    frames = rng.choice((0, 2, n))
    for k in range(frames):
        to = (k + 1 if k < frames - 1 else None) if shape == "chained" else earlier(rng, k, shape)
        how = rng.pick("attached_to='b0'", f"attached_to='f{to}'", "")
        parts.append(
            f"<frame name='f{k}' {how}><pose relative_to='{'' if to is None else f'f{to}'}'>1 0 0 0 0 0</pose></frame>"
        )
    if rng.random() < 0.3:
        depth = min(n, rng.pick(90, 120))
        opened = "".join(f"<model name='n{0 if rng.wrong() else k}'>" for k in range(depth))
        parts.append(opened + "<link name='l'/>" + "</model>" * depth)
    if (rng.random() < 0.1 and shape != "self") or rng.wrong():
        times = rng.choice((1, 1, min(n, 30)))
        parts += [include(rng, "sdf", shape).replace("<uri>", f"<name>i{k}</name><uri>") for k in range(times)]
    if rng.random() < 0.1:
        mesh = "<visual name='v'><geometry><mesh><uri>part.obj</uri></mesh></geometry></visual>"
        parts.append(f"<link name='v'>{mesh * min(n, 50)}</link>")
    made = f"<model name='m'>{''.join(parts)}</model>"
    made = made if rng.random() < 0.7 else f"<world name='w'>{made}</world>"
    return f"<sdf version='{rng.choice(('1.7', '1.9', '1.4'))}'>{made}</sdf>"


MODELS = {"yaml": yaml, "mbs": mbs, "urdf": urdf, "xacro": xacro, "mjcf": mjcf, "sdf": sdf}
