"""The wheel holds our three packages and works where the checkout is not, beside a user's own modules of any name."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("hatchling")

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {"scotyard_env", "scotyard_baselines", "scotyard_training"}
MOST_BYTES = 20 * 2**20  # of the wheel, as docs/howto/install.md promises
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", str(folder)]
    subprocess.run([*PIP, "wheel", "--quiet", *options, str(ROOT)], check=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make an environment with nothing of ours but the wheel; dependencies are borrowed from this one."""
    home = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    python = home / "bin" / "python"
    subprocess.run(
        [PIP[0], "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index", str(wheel)],
        check=True,
    )
    names = ("numpy", "torch", "tyro", "pettingzoo")
    specs = [importlib.util.find_spec(name) for name in names]
    lenders = {str(Path(str(spec.origin)).parents[1]) for spec in specs if spec is not None}
    site = Path(sysconfig.get_path("purelib", vars={"base": str(home)}))
    (site / "borrowed.pth").write_text("".join(f"{lender}\n" for lender in sorted(lenders)))  # after what is installed
    return python


def test_the_wheel_holds_our_packages_and_nothing_else(wheel: Path) -> None:
    files = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in files if ".dist-info/" not in name} == PACKAGES
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(files)
    assert not [name for name in files if "__pycache__" in name or name.endswith((".pt", ".nbc", ".nbi"))]


def test_the_wheel_is_no_larger_than_the_page_promises(wheel: Path) -> None:
    page = (ROOT / "docs" / "howto" / "install.md").read_text(encoding="utf-8")
    assert f"never more than {MOST_BYTES // 2**20} MB" in page
    assert wheel.stat().st_size <= MOST_BYTES


def test_the_same_wheel_is_built_from_the_sdist(wheel: Path, tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t"]
    subprocess.run([*build, "sdist", "-d", str(tmp_path)], cwd=ROOT, check=True, capture_output=True)
    shutil.unpack_archive(next(tmp_path.glob("*.tar.gz")), tmp_path, filter="data")
    unpacked = next(path for path in tmp_path.iterdir() if path.is_dir())
    subprocess.run([*build, "wheel", "-d", str(tmp_path)], cwd=unpacked, check=True, capture_output=True)
    again = next(tmp_path.glob("*.whl"))
    assert again.name == wheel.name
    assert contents(again) == contents(wheel)


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_it_works_where_a_user_has_packages_called_baselines_and_training(python: Path, tmp_path: Path) -> None:
    shutil.copy(ROOT / "tests" / "try_wheel.py", tmp_path)
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NUMBA"))}
    plain = {**own, "NUMBA_DISABLE_JIT": "1"}  # nothing of this installation is compiled yet, and that takes long
    done = subprocess.run(
        [str(python), "try_wheel.py"],
        cwd=tmp_path,
        env=plain,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    assert "works" in done.stdout
