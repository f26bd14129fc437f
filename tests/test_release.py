"""What a release changes agrees: one version in the package, the changelog, the citation and the README."""

from __future__ import annotations

import dataclasses
import importlib.util
import pkgutil
import re
from pathlib import Path

import pytest

import scotyard_env
from scotyard_env.policy import policy_factory
from scotyard_env.release import release

ROOT = Path(__file__).resolve().parents[1]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
SECTIONS: list[tuple[str, str]] = re.findall(
    r"^## (?:\[?([\d.]+)\]? \(([\d-]+)\)|Unreleased)$", CHANGELOG, re.MULTILINE
)
RELEASES = [(version, date) for version, date in SECTIONS if version]
HOMES = {"baselines": "scotyard_baselines", "training": "scotyard_training", "scotyard_env": "scotyard_env"}
MODULES_OF_0_1_0 = {  # but for those of the core that are where they were
    "baselines": "ablation alphabeta ascent astar_greedy best_response bristol_detectives bristol_mr_x bristol_tree "
    "capture categories chance chase command coverage decoy evasion examine exploit exploiter flight "
    "greedy hider hunters insights joint_moves layers mcts minimax odds one_ply phantom pimbot "
    "plan_counter plans playouts ppo_detectives ppo_mr_x public_tree pursuit pursuit_value random "
    "scorer_inputs scorer_net sequence_form solution suspicion tables tracker turns wariness",
    "training": "curves evaluate export imitate lookup opponents ppo rllib rollout sb3 sb3_policy sb3_vec scorer "
    "selfplay session",
    "scotyard_env": "chart drawing features panels writers",
}


def find(pattern: str, text: str) -> str:
    (found,) = re.findall(pattern, text, re.MULTILINE)
    return str(found)


def test_a_version_on_its_way_is_unreleased_and_a_release_heads_the_changelog() -> None:
    assert SECTIONS[0][0] == ("" if ".dev" in scotyard_env.__version__ else scotyard_env.__version__)
    assert sum(version == "" for version, _ in SECTIONS) == (".dev" in scotyard_env.__version__)
    assert sorted(RELEASES, key=lambda one: [int(part) for part in one[0].split(".")], reverse=True) == RELEASES
    assert [date for _, date in RELEASES] == sorted((date for _, date in RELEASES), reverse=True)


def test_the_citations_name_the_latest_release() -> None:
    version, date = RELEASES[0]
    assert find(r"^version: (.*)$", CITATION) == version
    assert find(r"^date-released: (.*)$", CITATION) == date
    assert find(r"version = \{(.*)\}", README) == version
    assert find(r"year    = \{(.*)\}", README) == date[:4]


@pytest.mark.parametrize(
    ("page", "pattern"), [("howto/install.md", r"scotyard_env-([\d.]+)-py3"), ("benchmark.md", r"package ([\d.]+)\*\*")]
)
def test_examples_in_pages_name_this_release(page: str, pattern: str) -> None:
    assert find(pattern, (ROOT / "docs" / page).read_text(encoding="utf-8")) == release()


def test_the_upgrade_notes_name_parameters_that_went_and_parameters_that_are_there() -> None:
    (table,) = re.findall(r"\| policy \| 0\.1\.0 \| now \|\n((?: +\|.*\n)+)", CHANGELOG)
    rows = [
        [re.findall(r"`([^`]+)`", cell) for cell in line.strip().strip("|").split("|")] for line in table.splitlines()
    ]
    told = [(policy, old, new) for policies, old, new in rows[1:] for policy in policies]
    assert len(told) > 8
    for policy, old, new in told:
        there = {field.name for field in dataclasses.fields(policy_factory(policy))}  # type: ignore[arg-type]
        assert {name.partition("=")[0] for name in new} <= there, policy
        assert not {name for name in old if "=" not in name and name not in new} & there, policy


def moved_modules() -> list[list[list[str]]]:
    """Return the names in each cell of the table of import names, row by row."""
    (table,) = re.findall(r"^ +\| 0\.1\.0 \| now \|\n((?: +\|.*\n)+)", CHANGELOG, re.MULTILINE)
    rows = [line.strip().strip("|").split("|") for line in table.splitlines()[1:]]
    return [[re.findall(r"`([A-Za-z_][\w.]*)`", cell) for cell in row] for row in rows]


@pytest.mark.parametrize("package", MODULES_OF_0_1_0)
def test_the_upgrade_notes_name_every_module_that_is_not_where_it_was(package: str) -> None:
    named = {part for old, _ in moved_modules() for name in old for part in name.split(".")}
    named |= {"ppo_mr_x", "ppo_detectives"}  # by their classes
    for module in MODULES_OF_0_1_0[package].split():
        assert module in named or importlib.util.find_spec(f"{HOMES[package]}.{module}") is not None, module


def test_the_upgrade_notes_name_modules_that_are_there() -> None:
    homes = [f"{home}." for home in HOMES.values()]
    for _, new in moved_modules():
        parent = new[0].rpartition(".")[0] if new else ""
        for name in new:
            written = [name, f"{parent}.{name}", f"ppo.{name}", f"last_known.{name}"]
            assert any(is_there(home + text) for home in ("", *homes) for text in written), name


def is_there(name: str) -> bool:
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError, ValueError):
        return False
    return True
