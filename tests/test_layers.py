"""No import points up the layers of docs/architecture.md."""

import ast
import subprocess
import sys
from pathlib import Path

import symbody

LAYERS = ["errors", "expr", "model", "elements", "gallery", "codegen", "equations", "system", "export", "analysis"]
LAYERS += ["realtime", "studio", "apps", "bench", "validate", "cli"]


def test_imports_point_down():
    root = Path(symbody.__file__).parent
    for path in root.rglob("*.py"):
        here = path.relative_to(root).parts[0].removesuffix(".py")
        if here not in LAYERS:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            names += [a.name for a in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                parts = name.split(".")
                if parts[0] == "symbody" and len(parts) > 1 and parts[1] in LAYERS:
                    assert LAYERS.index(parts[1]) <= LAYERS.index(here), (
                        f"{path}:{node.lineno}: {here} imports {parts[1]}"
                    )


def test_graph_and_model_know_nothing_of_each_other():
    root = Path(symbody.__file__).parent
    for folder, foreign in (("expr", "symbody.model"), ("model", "symbody.expr")):
        for path in (root / folder).rglob("*.py"):
            assert foreign not in path.read_text(), path


def test_what_is_slow_to_import_waits_until_it_is_needed():
    code = "import sys, symbody; print([name for name in ('scipy', 'matplotlib', 'websockets') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
