"""What the pages say is so: their code runs, their tables are those of the code, everything they name exists."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import torch
from playing import our_policies

import scotyard_env
from bench.figures import charts_of, explain_moment
from bench.flow_charts import CHARTS, Step, draw_chart
from scotyard_env.arena.contenders import split_names
from scotyard_env.cli import Match, Tournament, parse
from scotyard_env.plugins import PluginError
from scotyard_env.policy import SIDES, make_policy, policy_factory, policy_names
from scotyard_env.ruleset import EDITIONS, RuleSet

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [DOCS / "tutorial.md", DOCS / "environment.md", *sorted((DOCS / "howto").glob("*.md"))]
READERS_OWN = (
    "my_module",
    "chaser",
    "process",
    "remote",
    "sb3",
    "file",
    "scotyard_env.openspiel",
    "openspiel_ppo",
)  # modules, programs and files that a reader has
NEEDS = {"openspiel": ("pyspiel", "OpenSpiel: pip install 'scotyard-env[openspiel]'")}  # pages that need an extra
ALGORITHMS = (DOCS / "algorithms.md").read_text(encoding="utf-8")


def blocks_of(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs_from_top_to_bottom(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if page.stem in NEEDS:
        module, needed = NEEDS[page.stem]
        pytest.importorskip(module, reason=f"the page needs {needed}")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "page"}
    torch.set_num_threads(1)  # small networks are slowed down by more
    for number, block in enumerate(blocks_of(page)):
        exec(compile(block, f"{page.name} block {number}", "exec", dont_inherit=True), names)


def rows_of_table(page: Path, first: str) -> dict[str, list[str]]:
    """Read the table whose head begins with a word: cells by the first cell of their row."""
    lines = iter(page.read_text(encoding="utf-8").splitlines())
    rows: dict[str, list[str]] = {}
    for line in lines:
        if line.startswith(f"| {first} |") or (rows and line.startswith("|")):
            name, *cells = [cell.strip() for cell in line.strip("|").split("|")]
            rows[name] = cells
        elif rows:
            break
    return rows


def test_the_table_of_rule_sets_is_that_of_the_code() -> None:
    rows = rows_of_table(DOCS / "rules.md", "field")
    names = [cell.strip("`") for cell in rows["field"]]
    assert names == list(EDITIONS)
    for column, edition in enumerate(EDITIONS.values()):
        told = {field: cells[column] for field, cells in rows.items()}
        assert told == {
            "field": f"`{edition.name}`",
            **tell(edition),
            **{key: told[key] for key in told if "--" in key},
        }


def tell(rules: RuleSet) -> dict[str, str]:
    """Write the fields of a rule set as the page does."""
    detectives, mr_x = rules.detective_starts or (), rules.mr_x_starts or ()
    return {
        "board": rules.board,
        "detectives": str(rules.detectives),
        "detective_tickets": " / ".join(map(str, rules.detective_tickets)),
        "mr_x_tickets": " / ".join(map(str, rules.mr_x_tickets)),
        "hand_over": "yes" if rules.hand_over else "no",
        "log_entries": str(rules.log_entries or "none"),
        "round_limit": str(rules.round_limit or "none"),
        "reveals": ", ".join(map(str, rules.reveals)) or "none",
        "starts": f"{len(mr_x)} in common" if detectives == mr_x else f"{len(detectives)} and {len(mr_x)}",
    }


def section_of(policy: str) -> str:
    found = re.search(rf"^## `{policy}`\n(.*?)(?=^## |\Z)", ALGORITHMS, re.DOTALL | re.MULTILINE)
    assert found, f"docs/algorithms.md has no section on {policy}"
    return found[1]


def defaults_of(name: str) -> str:
    """Write a policy with all of its parameters as they are by default."""
    policy = policy_factory(name)()
    return f"{name}:" + ",".join(f"{field.name}={getattr(policy, field.name)}" for field in dataclasses.fields(policy))


@pytest.mark.parametrize("name", our_policies())
def test_every_baseline_has_a_section_with_its_parameters_and_their_defaults(name: str) -> None:
    has_parameters = len(dataclasses.fields(policy_factory(name))) > 0
    assert (f"Defaults: `{defaults_of(name)}`" if has_parameters else "No parameters") in section_of(name)


def test_every_baseline_is_in_the_overview() -> None:
    assert sorted(re.findall(r"^\| \[`(\w+)`\]", ALGORITHMS, re.MULTILINE)) == sorted(our_policies())


@pytest.mark.parametrize("name", [name for name in our_policies() if name != "random"])
def test_every_algorithm_has_its_flow_chart_and_an_explained_decision(name: str) -> None:
    pictures = re.findall(r"\]\((figures/\S+)\)", section_of(name))
    assert pictures == [*(f"figures/{chart}_chart.svg" for chart in charts_of(name)), f"figures/{name}.png"]
    assert all((DOCS / picture).exists() for picture in pictures)
    assert re.search(rf"^{name}.*: \w+ plays \w+ from \d+$", section_of(name), re.MULTILINE)


@pytest.mark.parametrize("name", re.findall(r"<!-- figures: (\w+) -->", ALGORITHMS))
def test_an_explained_decision_is_what_the_policy_decides_today(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    if name in policy_names():
        command, _, explanation = explain_moment(name)
        assert f"`{command}`" in section_of(name)
        assert f"```text\n{explanation}\n```" in section_of(name), f"python -m bench.figures {name} draws it anew"


@pytest.mark.parametrize("name", CHARTS)
def test_every_flow_chart_can_be_drawn(name: str) -> None:
    pytest.importorskip("schemdraw")
    drawn = ElementTree.fromstring(draw_chart(CHARTS[name]))
    texts = " ".join("".join(element.itertext()) for element in drawn.iter() if element.tag.endswith("text"))
    for step in CHARTS[name]:
        text = step.text if isinstance(step, Step) else step.question
        assert all(line in texts for line in text.splitlines())


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial.md", "docs/howto/policy.md"])
def test_every_page_says_the_same_of_what_a_policy_is(page: str) -> None:
    assert "A policy is anything with `act(view, rng) -> Decision`, dataclass or not." in (ROOT / page).read_text(
        "utf-8"
    )


def pages_in(nav: Any) -> Iterator[str]:
    """List the files that a navigation names, however deep."""
    for entry in nav:
        for page in entry.values():
            yield from [page] if isinstance(page, str) else pages_in(page)


def test_every_page_of_the_navigation_exists() -> None:
    config = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
    for page in pages_in(config["project"]["nav"]):
        assert (DOCS / page).exists(), f"zensical.toml names docs/{page}, which is not there"


def test_everything_the_reference_shows_exists() -> None:
    for page in (DOCS / "reference").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        for path, options in re.findall(r"^::: (\S+)\n((?: +.*\n)*)", text, re.MULTILINE):
            thing = look_up(path)
            members = re.search(r"members: \[(.*)\]", options)
            for member in members[1].split(", ") if members else ():
                assert hasattr(thing, member), f"{page.name}: {path} has no {member}"


def look_up(path: str) -> Any:
    """Import a module, or what is in it."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        module, _, name = path.rpartition(".")
        return getattr(importlib.import_module(module), name)


def names_in_maps(page: str) -> list[str]:
    """List the names of our modules in the tables that map the names of a document to ours."""
    tables = re.findall(r"^\| document \| here \|\n\|[-|]+\n((?:\|.*\n)+)", page, re.MULTILINE)
    cells = [line.split("|")[-2] for table in tables for line in table.splitlines()]
    return [name for cell in cells for name in re.findall(r"`(\w+(?:\.\w+)+)`", cell)]


@pytest.mark.parametrize("name", sorted(set(names_in_maps(ALGORITHMS))))
def test_everything_a_document_is_mapped_to_exists(name: str) -> None:
    homes = [package for package in ("scotyard_env", "scotyard_baselines") if can_resolve(f"{package}.{name}")]
    assert homes, f"docs/algorithms.md maps a document to {name}, which is in no package"


def can_resolve(path: str) -> bool:
    try:
        pkgutil.resolve_name(path)
    except (ImportError, AttributeError):
        return False
    return True


def commands_in(page: Path) -> Iterator[list[str]]:
    """List the ``scotyard`` commands that a page shows, each as its words."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    for block in re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            if line.startswith("scotyard "):
                yield shlex.split(line, comments=True)[1:]


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))], ids=lambda page: page.stem)
def test_every_command_of_a_page_can_be_read_and_names_policies_that_exist(page: Path) -> None:
    for words in commands_in(page):
        try:
            command = parse(words)
        except PluginError as missing:  # read where RLlib is installed, which dev is not
            if "pip install 'scotyard-env[rllib]'" not in str(missing):
                raise
            continue
        for side in SIDES if isinstance(command, Match | Tournament) else ():
            for name in split_names(getattr(command, side)):
                if name.partition(":")[0] not in READERS_OWN:
                    make_policy(name, side=side)


@pytest.mark.parametrize("name", ["make", "make_solo", "make_vec", "parallel_env"])
def test_every_parameter_of_what_makes_an_environment_is_described(name: str) -> None:
    maker = getattr(scotyard_env, name)
    assert list(descriptions_of(maker)) == list(inspect.signature(maker).parameters)
    for parameter, text in descriptions_of(maker).items():
        assert text == descriptions_of(scotyard_env.make).get(parameter, text), (
            f"{name} describes {parameter} otherwise"
        )
    page = (DOCS / "reference" / "environments.md").read_text(encoding="utf-8")
    shown = rf"^::: {maker.__module__}(\.{name}|\n.*\n.*\n +members: \[{name}\b.*)$"
    assert re.search(shown, page, re.MULTILINE), f"the reference does not show {name}"


def descriptions_of(maker: Any) -> dict[str, str]:
    """Read what a docstring says of each parameter."""
    told = re.search(r"Args:\n(.*?)(\n\n|\Z)", inspect.getdoc(maker) or "", re.DOTALL)
    assert told, f"{maker.__name__} describes no parameters"
    parts = re.findall(r"^ {4}(\w+): (\w.*(?:\n {8}.*)*)", told[1], re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in parts}
