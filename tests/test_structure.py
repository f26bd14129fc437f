"""The root listing is the architecture: imports point one way, policies do not know each other, nobody reaches inside.

``find_violations`` looks at any tree that is laid out like ours, so that tests can put into a copy what is forbidden.
"""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HOMES = {  # package -> its folder; each may import itself and those before it
    "scotyard_env": "scotyard_env",
    "scotyard_baselines": "baselines/scotyard_baselines",
    "scotyard_training": "training/scotyard_training",
}
PACKAGES = tuple(HOMES)
NAMED_TUPLE = {"_asdict", "_fields", "_make", "_replace"}  # underscores that are for everybody


def find_violations(root: Path) -> list[str]:
    """List what a tree does that its architecture forbids."""
    return [
        f"{file.relative_to(root)} {problem}"
        for package, home in HOMES.items()
        for file in sorted((root / home).rglob("*.py"))
        for problem in problems_of(file, package, root / home)
    ]


def problems_of(file: Path, package: str, home: Path) -> Iterator[str]:
    """Say of one file what it may not do."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    later = PACKAGES[PACKAGES.index(package) + 1 :]
    others = policies_in(home) - {file.stem} if package == "scotyard_baselines" and file.parent == home else set()
    for name in imports_of(tree):
        module = name.split(".")
        if module[0] in later:
            yield f"imports {name}: {package} may not know {module[0]}"
        if module[0] == "scotyard_baselines" and module[1:2] and module[1] in others:
            yield f"imports {name}: a policy may not know another"
        if module[0] == "":
            yield f"imports {name}: imports are absolute"
        if module[0] in PACKAGES and any(map(is_private, module[1:])):
            yield f"imports {name}: an underscore is for its own module"
    for name in private_names_of(tree):
        yield f"uses {name}: an underscore is for its own module"


def policies_in(home: Path) -> set[str]:
    """List the policy modules: the files at the top of the baselines."""
    return {file.stem for file in home.glob("*.py")} - {"__init__"}


def imports_of(tree: ast.Module) -> Iterator[str]:
    """List what is imported anywhere in a module: by statements, and by calls that are given a name as text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("import_module", "__import__"):
            yield from (one.value for one in node.args[:1] if isinstance(one, ast.Constant))
            yield from (text_of(one) for one in node.args[:1] if isinstance(one, ast.JoinedStr))


def text_of(node: ast.JoinedStr) -> str:
    """Return the beginning of an f-string, up to its first blank."""
    first = node.values[0] if node.values else None
    return str(first.value) if isinstance(first, ast.Constant) else "?"


def private_names_of(tree: ast.Module) -> Iterator[str]:
    """List the underscore names of our modules that are read through the module."""
    modules: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.asname or alias.name for alias in node.names if is_ours(alias.name)}
        elif isinstance(node, ast.ImportFrom) and is_ours(node.module or ""):
            modules |= {alias.asname or alias.name for alias in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and ast.unparse(node.value) in modules:
            yield ast.unparse(node)


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in NAMED_TUPLE


def is_ours(module: str) -> bool:
    return module.partition(".")[0] in PACKAGES


def test_the_tree_is_as_the_architecture_says() -> None:
    assert len(list((ROOT / HOMES["scotyard_baselines"]).rglob("*.py"))) > 20  # somebody is looked at
    assert find_violations(ROOT) == []


@pytest.mark.parametrize(
    ("file", "line", "words"),
    [
        ("scotyard_env/game.py", "import scotyard_baselines.greedy", "scotyard_env may not know scotyard_baselines"),
        ("scotyard_env/arena/match.py", "from scotyard_training import ppo", "may not know scotyard_training"),
        ("scotyard_env/policy.py", "from scotyard_baselines.greedy import Greedy as G", "may not know"),
        ("scotyard_env/view.py", "def f():\n    from scotyard_baselines import greedy", "may not know scotyard_base"),
        ("scotyard_env/game.py", "import importlib\nimportlib.import_module('scotyard_training.ppo')", "may not know"),
        ("scotyard_env/game.py", "def f(x):\n    return __import__(f'scotyard_baselines.{x}')", "may not know"),
        ("baselines/scotyard_baselines/greedy.py", "import scotyard_training", "may not know scotyard_training"),
        (
            "baselines/scotyard_baselines/mcts/search.py",
            "from scotyard_training.ppo import x",
            "may not know scotyard_t",
        ),
        (
            "baselines/scotyard_baselines/hider.py",
            "from scotyard_baselines.greedy import Greedy",
            "may not know another",
        ),
        ("baselines/scotyard_baselines/hider.py", "from scotyard_baselines import greedy", "may not know another"),
        ("baselines/scotyard_baselines/hider.py", "from . import mcts", "imports are absolute"),
        ("training/scotyard_training/ppo.py", "from scotyard_env.game import _explain", "an underscore is for its own"),
        ("training/scotyard_training/ppo.py", "from scotyard_env import game\ngame._explain", "uses game._explain"),
        ("scotyard_env/cli.py", "import scotyard_env.game as g\ng._explain", "uses g._explain"),
    ],
)
def test_what_is_forbidden_is_noticed(file: str, line: str, words: str, tmp_path: Path) -> None:
    home = next(home for home in HOMES.values() if file.startswith(f"{home}/"))
    shutil.copytree(ROOT / home, tmp_path / home, ignore=shutil.ignore_patterns("__pycache__", "data"))
    before = find_violations(tmp_path)
    with (tmp_path / file).open("a", encoding="utf-8") as opened:
        opened.write(f"\n\n{line}\n")
    new = [problem for problem in find_violations(tmp_path) if problem not in before]
    assert len(new) == 1
    assert new[0].startswith(f"{file} ")
    assert words in new[0]


@pytest.mark.parametrize(
    "line",
    [
        "import scotyard_env.game",
        "from scotyard_baselines.mcts import search",
        "import scotyard_env_of_another",
        "from other import _private",
        "def f(self):\n    return self._own",
    ],
)
def test_what_is_allowed_is_not_noticed(line: str, tmp_path: Path) -> None:
    folder = tmp_path / HOMES["scotyard_baselines"]
    folder.mkdir(parents=True)
    (folder / "hider.py").write_text(line)
    assert find_violations(tmp_path) == []


@pytest.mark.parametrize("package", HOMES)
def test_only_kernels_go_without_annotations(package: str) -> None:
    for file in (ROOT / HOMES[package]).rglob("*.py"):
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef) and function.returns is None:
                marks = [mark.id for mark in function.decorator_list if isinstance(mark, ast.Name)]
                assert "kernel" in marks, f"{file.name}: {function.name} lacks annotations"


def modules_after(code: str) -> set[str]:
    """Run some code in a process of its own; list the top-level packages that it has imported."""
    told = f"{code}\nimport sys; print('\\n', *sys.modules)"
    answer = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in answer.stdout.rpartition("\n ")[2].split()}


def test_importing_the_package_imports_nothing_heavy() -> None:
    heavy = {"numba", "networkx", "matplotlib", "torch", "scipy", "rich", "PIL", "pygame"}
    assert not heavy & modules_after("import scotyard_env")


@pytest.mark.parametrize("words", ["--help", "train --help", "match --help"])
def test_asking_the_command_for_help_imports_nothing_heavy(words: str) -> None:
    code = f"""
import sys
sys.argv = ["scotyard", *{words.split()}]
from scotyard_env.cli import main
try:
    main()
except SystemExit as stop:
    assert not stop.code
"""
    assert not {"numba", "networkx", "matplotlib", "torch", "scipy"} & modules_after(code)
