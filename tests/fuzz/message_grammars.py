"""Formulas, units, messages, packets, requests, command lines, manifests and shared memory from their grammars."""

import hashlib
import json
import struct
import zlib

from file_grammars import joints, json_value
from grammar_words import formula, name, nested, number
from model_grammars import MODELS

from symbody.links.ros_types import MESSAGES as ROS

UNITS = ("m", "s", "kg", "N", "rad", "Pa", "km", "mm", "√Pa", "Ω", "min", "%", "1", "°C", "-", "furlong", "m³", "s⁻²")
POWERS, STRANGE_POWERS = ("", "", "", "²", "^2", "**3", "^-1", "3"), ("^999999999", "^100", "^0.5", "⁻¹²³", "^", "-2")


def unit(rng, shape, n):
    """Products, quotients, brackets, roots and powers of units."""
    known = UNITS if rng.edge else UNITS[:13]
    word = lambda: rng.choice(known) + rng.pick(rng.choice(POWERS), *STRANGE_POWERS)  # noqa: E731
    if shape == "deep":
        return rng.choice((nested(n, "(", word(), ")"), nested(n, "√", word(), ""), nested(n, "(", word(), ")^9")))
    if shape == "doubling":
        return nested(min(n, 12), "(", word(), rng.choice((")^2", ")^99", ")**-9", ")²")))
    return rng.choice((" ", "*", "/", "·", "/(", "\n")).join(word() for _ in range(n + 1))


def law(rng, shape, n):
    return formula(rng, shape, n)


# -- browsers ----------------------------------------------------------------------------------------------------------

FIELDS = {
    "play": (), "pause": (), "step": ("n",), "reset": (), "speed": ("factor",), "seek": ("t",),
    "set": ("name", "value"), "settings": ("values",), "pull": ("frame", "at", "to"), "release": (),
    "move": ("name", "value", "seconds"),
    "letgo": ("name",), "pilot": ("name",), "watch": ("channels",), "lookback": ("t",), "arrows": ("on",),
    "zoom": ("since", "until"), "inspect": ("frame",), "nothing": ("x",),
}  # fmt: skip


def field(rng, key, shape, n):
    if rng.wrong():
        return json_value(rng, shape, n)
    if key in ("at", "to"):
        return f"[{', '.join(number(rng) or '0' for _ in range(3))}]"
    if key == "channels":
        return json.dumps([name(rng, k) for k in range(min(n, rng.pick(16, 40)))])
    if key == "values":
        return (
            "{"
            + ", ".join(f'"{name(rng, k)}": {number(rng) or 0}' for k in range(min(max(n, 1), rng.pick(64, 80))))
            + "}"
        )
    usual = {"name": json.dumps(name(rng, n)), "on": "true", "factor": "2", "n": "5", "frame": "3", "seconds": "0.5"}
    return usual.get(key) or number(rng) or "0"


def message(rng, shape, n):
    do = rng.pick(rng.choice(list(FIELDS)[:-1]), "nothing")
    pairs = [f'"do": "{do}"', *(f'"{key}": {field(rng, key, shape, n)}' for key in FIELDS[do])]
    if rng.wrong():
        pairs += pairs[: rng.randrange(3)]
    return "{" + ", ".join(pairs) + "}"


def studio(rng, shape, n):
    """The messages of one browser, one in each line."""
    return "\n".join(message(rng, shape, n) for _ in range(rng.choice((1, 1, 1, min(n, 200)))))


def web(rng, shape, n):
    """A request of a browser: a page, or the opening of a socket."""
    path = rng.pick(
        rng.choice(("/", "/socket", "/socket?x", "/piano/socket")),
        "//socket",
        "/../socket",
        "/" + "a/" * n,
        "*",
        "/\x00",
        "/%2e%2e/",
    )
    host = rng.pick(
        rng.choice(("localhost:1", "127.0.0.1", "[::1]")),
        "[::1",
        "evil.example",
        "a" * n,
        "",
        "localhost@evil",
        "١٢٧.0.0.1",
        "[v1.x]",
    )
    lines = [f"{rng.pick('GET', 'POST', '')} {path} HTTP/{rng.pick('1.1', '1.0', '9' * min(n, 50))}"]
    lines += [f"Host: {host}"] * rng.pick(1, 2, 0)
    if not rng.wrong():
        lines += [
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version: 13",
        ]
    if rng.random() < 0.5:
        lines.append(f"Origin: {rng.pick('http://', 'https://', '', 'null', '//')}{host}")
    offers = ", ".join(
        rng.choice(("symbody", "token.", "token." + "61" * n, "x" * n, "é", "")) for _ in range(min(n, 50))
    )
    lines.append(f"Sec-WebSocket-Protocol: {offers}")
    if shape == "wide":
        lines += [f"X-{k}: {number(rng)}" for k in range(n)]
    elif shape == "doubling":
        lines += ["Sec-WebSocket-Extensions: " + ", ".join(["permessage-deflate; client_max_window_bits=8"] * n)]
    elif shape in ("deep", "chained"):
        lines += ["X: " + "y" * n, "Accept-Encoding: " + "gzip, " * n]
    return "\r\n".join(lines) + "\r\n\r\n"


# -- packets -----------------------------------------------------------------------------------------------------------

HEAD = struct.Struct("<4sBBHI4xQQQqqq")
JOINTS = list(ROS).index("sensor_msgs/msg/JointState")


def packet(rng, shape, n):
    count = rng.pick(2, 0, 1, n, 65535)
    code = rng.pick(zlib.crc32(b"a\nb"), rng.getrandbits(32))
    times = [rng.choice((0, 1, 2**62, -(2**63), 10**9)) for _ in range(3)]
    heads = [rng.choice((0, 1, 2**64 - 1, rng.getrandbits(64))) for _ in range(3)]
    head = HEAD.pack(rng.pick(b"SYMB", b"SYMC"), rng.pick(1, 0, 255), rng.pick(0, 1), count, code, *heads, *times)
    body = head + b"".join(
        struct.pack("<d", float(rng.choice(("0", "1", "nan", "inf", "1e308")))) for _ in range(min(count, 200))
    )
    return body + struct.pack("<I", zlib.crc32(body)) if not rng.wrong() else body * max(1, n % 8)


def serial(rng, shape, n):
    """Frames with runs of every length, zeros, and pieces of frames."""
    parts = []
    for _ in range(rng.randrange(1, 6)):
        whole = packet(rng, shape, min(n, 20))
        coded = b"".join(bytes([len(run) + 1]) + run for run in whole.split(b"\0") if len(run) < 254)
        parts.append(coded[: rng.choice((len(coded), rng.randrange(len(coded) + 1)))] + b"\0" * rng.randrange(3))
    noise = {"wide": b"\0" * n, "deep": b"\xff" * n, "doubling": bytes([1]) * n, "chained": rng.randbytes(min(n, 4000))}
    return b"".join(parts) + noise.get(shape, b"")


def cdr(rng, shape, n):
    """A message after the number of its kind: lists and texts with lengths that fit, and that do not."""
    head = bytes([rng.randrange(32)])
    if rng.random() < 0.5:
        return bytes([JOINTS]) + joints([b"j%d" % k for k in range(min(n, 200))], rng.pick(None, 0, 2**32 - 1, n))
    words = [rng.choice((0, 1, n, 2**32 - 1, 2**31, rng.getrandbits(32))) for _ in range(min(n, 60))]
    return head + rng.choice((b"\0\1\0\0", b"\0\0\0\0", b"\0\7\0\0")) + b"".join(struct.pack("<I", w) for w in words)


def haptic(rng, shape, n):
    """A packet of a haptic world with n constraints, or of its proxy."""
    value = lambda: rng.pick(rng.choice((0.0, 0.0, 1.0, -1.0, 0.05, 1e-3)), 1e308, float("nan"), -1e9)  # noqa: E731
    nq = nv = rng.pick(3, 0, 1, 6, -1)
    if shape == "self":
        values = [float(n), 0.0, nq, nv, value(), value(), *(value() for _ in range(6))]
    else:
        count = rng.pick(min(n, 20), n, 2**31, -1, 0.5)
        few = min(n, 20)
        head = [
            float(n),
            nq,
            nv,
            rng.pick(0, 3, 6),
            count,
            0.1,
            rng.pick(4e3, 1e308, -1.0),
            rng.pick(30.0, -1.0),
            0.0,
            0.0,
        ]
        mass = [2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, rng.pick(5e-3, 0.0, -1.0), 0.0, 0.0, 0.0]
        row = lambda k: [0.0, rng.choice((1.0, -3.0)), 0.0, *(value() for _ in range(18))]  # noqa: E731
        values = [*head, *mass, *(x for k in range(few) for x in row(k))]
    return b"".join(struct.pack("<d", float(x)) for x in values)


# -- shared memory, cache, command lines -------------------------------------------------------------------------------


def shared(rng, shape, n):
    """Words over the memory of a loop: its first places hold sizes and offsets."""
    values = (0, 1, 2**63 - 1, 2**64 - 1, 2**32, 64, struct.unpack("<Q", struct.pack("<d", float("nan")))[0])
    places = (
        range(n)
        if shape == "chained"
        else [rng.choice((rng.randrange(64), rng.getrandbits(16))) for _ in range(min(n, 40))]
    )
    return b"".join(struct.pack("<HQ", k % 65536, rng.choice(values)) for k in places)


def cache(rng, shape, n):
    files = {name(rng, k, "f"): "0" * 64 for k in range(min(n, 50))} | {"a.so": rng.pick(CODE, "0" * 64, "", 1, None)}
    files = {"a.so": files["a.so"]} if rng.random() < 0.5 else files
    library = rng.pick("a.so", "../a.so", "/x", None, 1, "", [], "a.so\0", name(rng, 0))
    return json.dumps({"files": files, "library": library}) if not rng.wrong() else json_value(rng, shape, n)


CODE = hashlib.sha256(b"code").hexdigest()  # of the file in the entry
OPTIONS = (
    "--set", "--until", "--dt", "--every", "--x0", "--between", "--record", "--json", "-o", "--package", "--argument",
    "--snap", "--mimic", "--limits", "--inertia", "--method", "--port", "--host", "--token", "--rate", "--inputs",
    "--help",
    "--nothing", "--",
)  # fmt: skip
FITTING = (
    ("--set", "k=20 N/mm"),
    ("--until", "1"),
    ("--dt", "1e-3"),
    ("--json",),
    ("--set", "L=0.5"),
    ("--snap", "1e-5"),
)
COMMANDS = (
    "check",
    "simulate",
    "sweep",
    "fit",
    "modal",
    "generate",
    "export",
    "node",
    "animate",
    "equilibrium",
    "nothing",
    "",
)


def command(rng, shape, n):
    """The words of a command line, with zeros between them."""
    words = [rng.pick(rng.choice(COMMANDS[:-2]), "nothing", ""), rng.pick("four-bar", "model.yaml", "-", "")]
    if not rng.edge:
        some = rng.sample(FITTING, rng.randrange(4)) * (1 if shape != "wide" else min(n, 200))
        return "\0".join(
            [rng.choice(("simulate", "simulate", "sweep")), words[1], *(word for pair in some for word in pair)]
        )
    for k in range(min(n, 300)):
        value = rng.choice(
            (
                "k=1",
                "k=1:2",
                f"k={number(rng)} {unit(rng, shape, 2)}",
                number(rng),
                name(rng, k),
                "=" * (n % 50),
                "k=" + "9" * n,
                f"k=1{' ' * n}x\ny",
            )
        )
        words += [rng.choice(OPTIONS), value] if rng.random() < 0.8 else [rng.choice(OPTIONS) + "=" + value]
    if shape == "deep":
        words.append("k=" + nested(n, "(", "m", ")"))
    return "\0".join(words)


# -- models again, for what follows after reading ----------------------------------------------------------------------


def checked(rng, shape, n):
    """A byte that chooses the format, and a model of it."""
    k = rng.randrange(len(MODELS))
    return bytes([k]) + list(MODELS.values())[k](rng, shape, n).encode(errors="replace")


MESSAGES = {
    "formula": law, "unit": unit, "studio": studio, "web": web, "udp": packet, "serial": serial, "cdr": cdr,
    "haptic": haptic, "shared": shared, "cache": cache, "command": command, "check": checked, "drawn": checked,
}  # fmt: skip
