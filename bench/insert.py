"""Put measured tables where the README and the pages keep a place for them, so that nobody types a figure.

    python -m bench.insert baselines results/baselines     # from the folder of a tournament
    python -m bench.insert ablation ablation.md            # from a file of Markdown
    python -m bench.insert speed bench.json                # from the figures of make bench
    python -m bench.insert benchmark docs/benchmark        # from the result files of scotyard benchmark

Tables of pairings come in by ``python -m bench.tables``, which plays what they lack. Between
``<!-- tables: baselines -->`` and ``<!-- end -->`` come all tables, between ``<!-- table: baselines -->`` and
``<!-- end -->`` the first one and the command that made it. Between ``<!-- row: hunters -->`` and ``<!-- end -->``
comes what the table named ``everyone`` says of a policy, and between ``<!-- strength: ppo_mr_x -->`` and
``<!-- end -->`` all its win rates.
"""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

from bench.benchmark_text import write_benchmark
from bench.cards import list_strength, update_cards
from scotyard_env.arena.rating import Rate
from scotyard_env.arena.score_file import Scores
from scotyard_env.arena.table import grid
from scotyard_env.policy import Side

DOCS = ("results", "robustness", "value", "algorithms", "pimbot", "exploitability", "training", "benchmark")
PAGES = (Path("README.md"), *(Path("docs") / f"{page}.md" for page in DOCS))
BENCHMARK = "benchmark"  # the source of the tables of result files
EVERYONE = "everyone"  # the source of the rows
NOTES = {"*": "\\* ", "!": "! "}  # marks of policies, and how the notes on them begin
SPEEDS = {  # what the figures of bench.json stand for
    "kernel_moves_ratio": "inside the kernel, the possible set kept up to date",
    "batch_moves_ratio": "`Batch`, 1,024 games, without observations",
    "vec_mr_x_moves_ratio": '`make_vec(1024, side="mr_x", copy=False)`, observations and masks written, all seats move',
    "vec_detectives_moves_ratio": 'the same with `side="detectives"`',
    "aec_steps_ratio": "`make()`, one step at a time through the AEC API",
}


def read_tables(source: Path) -> list[str]:
    """Read paragraphs of Markdown from a file, or from the table of a tournament; headings are left to the page."""
    if source.is_dir() and list(source.glob("*.json")) and not (source / "table.md").exists():
        return write_benchmark(source)
    text = (source / "table.md" if source.is_dir() else source).read_text(encoding="utf-8")
    if source.suffix == ".json":
        return [compare_speeds(json.loads(text)), "Made by `make bench`"]
    kept = [paragraph for paragraph in text.strip().split("\n\n") if not paragraph.startswith("#")]
    return [f"\\{paragraph}" if paragraph.startswith("* ") else paragraph for paragraph in kept]  # a note, no list


def compare_speeds(figures: dict[str, float]) -> str:
    """Write the table of speeds: how many times as fast as connect_four."""
    rows = [f"| {words} | {float(format(figures[name], '.2g')):,g} x |" for name, words in SPEEDS.items()]
    return "\n".join(["| random play | of connect_four's speed |", "|---|---|", *rows])


def shorten(paragraphs: list[str]) -> list[str]:
    """Keep everything up to the first table, the notes on marks that are in it, and the command at the end.

    Where there is no table, everything is kept.
    """
    tables = [number for number, paragraph in enumerate(paragraphs) if paragraph.startswith("|")]
    last = tables[0] if tables else len(paragraphs) - 1
    marks = [begin for mark, begin in NOTES.items() if f"{mark} " in paragraphs[last]]
    kept = ("Made by", *marks)
    return paragraphs[: last + 1] + [paragraph for paragraph in paragraphs[last + 1 :] if paragraph.startswith(kept)]


def insert(page: str, name: str, paragraphs: list[str]) -> tuple[str, int]:
    """Fill the places of a page that are kept for a name; tell how many there were."""
    places = 0
    for word, content in (("table", shorten(paragraphs)), ("tables", paragraphs)):
        place = rf"(<!-- {word}: {re.escape(name)} -->\n).*?(<!-- end -->)"
        body = "\n\n".join(content)
        page, found = re.subn(place, lambda match, body=body: f"{match[1]}{body}\n{match[2]}", page, flags=re.DOTALL)
        places += found
    return page, places


def read_cells(paragraphs: list[str]) -> list[list[str]]:
    """Read the cells of the first table, its head first; the marks of policies that think by the clock are left out."""
    table = next(paragraph for paragraph in paragraphs if paragraph.startswith("|")).splitlines()
    cells = [[cell.strip().removesuffix("*") for cell in line.strip("|").split(" | ")] for line in table]
    return cells[:1] + cells[2:]


def describe(policy: str, cells: list[list[str]]) -> str:
    """Say how often a policy catches every Mr. X of a table of win rates, and who catches it."""
    columns, said = list(zip(*cells, strict=True)), []
    for verb, lines in (("catches", columns), ("is caught by", cells)):
        for line in lines[1:]:
            if line[0] == policy:
                pairs = zip(lines[0][1:], line[1:], strict=True)
                rates = [f"`{other}` {cell.split(' [')[0]}" for other, cell in pairs if cell != "-"]
                said.append(f"{verb} {', '.join(rates)}")
    return f"*In the arena* ([with intervals](results.md#{EVERYONE})): {'; '.join(said)}."


def insert_rows(page: str, cells: list[list[str]]) -> tuple[str, int]:
    """Fill the places of a page that are kept for the rows of policies; tell how many there were."""
    known = set(cells[0][1:]) | {row[0] for row in cells[1:]}
    place = r"(<!-- row: (\S+) -->\n).*?(<!-- end -->)"

    def fill(match: re.Match[str]) -> str:
        return f"{match[1]}{describe(match[2], cells)}\n{match[3]}" if match[2] in known else match[0]

    return re.subn(place, fill, page, flags=re.DOTALL)


def list_rates_of(policy: str, scores: Scores) -> str:
    """Write all win rates of a policy as tables, one for each side that it plays."""
    parts = []
    verbs: dict[Side, str] = {"detectives": "catch", "mr_x": "survives"}
    for side, verb in verbs.items():
        found = list_strength(scores, policy, side)
        rows = [[one.opponent, str(Rate(one.wins, one.games)), f"{one.games:,}"] for one in found]
        parts += [grid([f"`{policy}` {verb}", "rate", "games"], rows)] if rows else []
    return "\n\n".join(parts)


def check_pages() -> None:
    """Refuse a folder without the pages."""
    if missing := [str(path) for path in PAGES if not path.exists()]:
        raise ValueError(f"there is no {missing[0]} here: run it in the folder of a clone, whose pages keep the places")


def change_pages(change: Callable[[str], tuple[str, int]]) -> int:
    """Change every page; return how many places were filled."""
    total = 0
    for path in PAGES:
        page, places = change(path.read_text(encoding="utf-8"))
        if places:
            path.write_text(page, encoding="utf-8")
            print(f"{path}: {places}")
        total += places
    return total


def put(name: str, paragraphs: list[str]) -> int:
    """Fill every place of all pages that is kept for a name; return how many there were."""
    return change_pages(lambda page: insert(page, name, paragraphs))


def put_rows(cells: list[list[str]]) -> int:
    """Fill every place of all pages that is kept for the row of a policy."""
    return change_pages(lambda page: insert_rows(page, cells))


def put_strength(scores: Scores) -> None:
    """Fill the places that are kept for all win rates of a policy, and the cards of the shipped networks."""
    place = r"(<!-- strength: (\S+) -->\n).*?(<!-- end -->)"

    def fill(match: re.Match[str]) -> str:
        return f"{match[1]}{list_rates_of(match[2], scores)}\n{match[3]}"

    change_pages(lambda page: re.subn(place, fill, page, flags=re.DOTALL))
    update_cards(scores)


def main() -> None:
    """Fill every place that is kept for a name."""
    if len(sys.argv) != 3:
        sys.exit("give a name and a source: python -m bench.insert baselines results/baselines")
    name, source = sys.argv[1], Path(sys.argv[2])
    try:
        check_pages()
        paragraphs = read_tables(source)
    except (OSError, ValueError) as error:
        sys.exit(f"insert: {error}")
    if not any(paragraph.startswith("|") for paragraph in paragraphs):
        sys.exit(f"insert: there is no table in {source}: give the folder of a tournament, or a file with a table")
    total = put(name, paragraphs)
    if name == EVERYONE:
        total += put_rows(read_cells(paragraphs))
    if total == 0:
        sys.exit(f"insert: no page keeps a place for {name!r}, such as <!-- table: {name} -->")


if __name__ == "__main__":
    main()
