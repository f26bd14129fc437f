"""The report of a tournament as one HTML page that needs nothing but itself."""

from collections import Counter
from collections.abc import Sequence
from html import escape

from scotyard_env.arena.config import Config
from scotyard_env.arena.figures import (
    draw_board,
    draw_captures,
    draw_curves,
    draw_rates,
    draw_ratings,
    key_of_curves,
    tag,
)
from scotyard_env.arena.games import Links
from scotyard_env.arena.rating import Rating, rate_all
from scotyard_env.arena.result import Result
from scotyard_env.arena.summary import Pairing, commands_of, pair_up
from scotyard_env.arena.table import DETAILS, SIDE_WORDS, Names, count_games, detail, headline, mark_all, notes
from scotyard_env.policy import SIDES, Side
from scotyard_env.render.drawing import CARD, FAINT, INK, LINE, PAPER
from scotyard_env.wording import FORFEITED, printable, short_name

STYLE = f"""
* {{ box-sizing: border-box }}
body {{ margin: 0 auto; max-width: 1100px; padding: 24px 16px 64px; background: {PAPER}; color: {INK};
  font: 16px/1.5 system-ui, "DejaVu Sans", Verdana, Arial, sans-serif; overflow-wrap: anywhere }}
h1 {{ font-size: 1.7rem; line-height: 1.2; margin: 0 0 4px }}
h2 {{ font-size: 1.25rem; margin: 40px 0 4px }}
h3 {{ font-size: 1rem; margin: 16px 0 4px }}
p {{ margin: 4px 0 12px; max-width: 72ch }}
p, small, th {{ color: {FAINT} }}
section {{ background: {CARD}; border: 1px solid {LINE}; border-radius: 8px; padding: 16px; overflow-x: auto }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; overflow-wrap: break-word }}
th, td {{ padding: 6px 10px; text-align: right; font-weight: 400; white-space: nowrap }}
th {{ font-size: .85rem }}
tr > :first-child, .details tr > :nth-child(2) {{ text-align: left }}
thead th {{ border-bottom: 1px solid {LINE}; vertical-align: bottom }}
.heat td {{ border: 2px solid {CARD}; text-align: center; font-weight: 600; min-width: 92px; font-size: 1.05rem }}
.heat td small {{ display: block; font-weight: 400; font-size: .75rem; color: inherit }}
.heat thead th {{ text-align: center; white-space: normal; max-width: 120px; border: 0 }}
.heat tbody th {{ position: sticky; left: 0; background: {CARD}; white-space: normal; min-width: 84px;
  max-width: 150px; color: {INK} }}
.scale {{ display: flex; align-items: center; gap: 8px; font-size: .85rem; color: {FAINT}; margin-top: 12px }}
.scale i {{ width: 160px; height: 12px; border-radius: 3px; border: 1px solid {LINE};
  background: linear-gradient(to right, #d55e00, #fff, #0072b2) }}
.ratings {{ display: grid; grid-template-columns: minmax(90px, max-content) minmax(90px, 1fr) max-content;
  gap: 6px 14px; align-items: center }}
.ratings h3 {{ grid-column: 1 / -1; margin: 8px 0 0 }}
.rating {{ display: contents }}
.name {{ max-width: 210px }}
.track {{ position: relative; height: 22px; background: {PAPER}; border-radius: 4px }}
.track i {{ position: absolute; top: 0 }}
.zero {{ height: 22px; border-left: 1px dashed {FAINT} }}
.track .interval {{ height: 4px; top: 9px; background: {INK}; opacity: .35; border-radius: 3px; min-width: 2px }}
.track .dot {{ width: 10px; height: 10px; top: 6px; margin-left: -5px; background: {INK}; border-radius: 50% }}
.number {{ text-align: right; font-variant-numeric: tabular-nums; font-weight: 600; white-space: nowrap }}
.number small {{ display: block; font-weight: 400; font-size: .75rem; line-height: 1 }}
@media (max-width: 560px) {{
  .heat td, .heat th {{ min-width: 70px; padding: 6px 4px }}
  .ratings {{ display: block }}
  .rating {{ display: grid; grid-template-columns: 1fr max-content; gap: 4px; margin-bottom: 10px }}
  .track {{ grid-row: 2; grid-column: 1 / -1 }}
}}
.panels {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(min(300px, 100%), 1fr)); gap: 16px }}
.panels > div {{ max-width: 520px }}
.key {{ max-width: none }}
.key span {{ display: inline-flex; align-items: center; gap: 6px; margin-right: 18px; color: {INK} }}
.board {{ min-width: 640px }}
.boards {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(min(460px, 100%), 1fr)); gap: 16px }}
a {{ color: inherit }}
code {{ background: {CARD}; border: 1px solid {LINE}; border-radius: 4px; padding: 1px 5px; color: {INK} }}
pre {{ margin: 0; white-space: pre-wrap; font-size: .85rem }}
svg {{ display: block; font-family: system-ui, "DejaVu Sans", Verdana, Arial, sans-serif }}
"""


def write_page(config: Config, results: Sequence[Result], games: Links | None = None) -> str:
    """Write the report of a tournament, with links to games where there are any."""
    pairings = pair_up(config, results)
    ratings = rate_all(config.names("mr_x"), config.names("detectives"), results)
    names = mark_all(config, pairings)
    parts = [
        tag("h1", "Scotland Yard: who is stronger, and how sure are we"),
        tag("p", escape(f"{headline(config)}; {count_games(pairings)}.")),
        *(tag("p", escape(note)) for note in notes(config, pairings)),
        *_rates(names, pairings),
        *_ratings(names, ratings),
        *_curves(config, names, pairings),
        *_captures(config, names, results),
        *_details(names, pairings, games or {}),
        *_again(config),
    ]
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    title = tag("title", escape(f"Tournament: {headline(config)}"))
    content = tag("head", head + title + tag("style", STYLE)) + tag("body", tag("main", "".join(parts)))
    return f"<!doctype html>{tag('html', content, lang='en')}\n"


def _wide(content: str) -> str:
    """Write a section that may be wider than a screen, and can be scrolled by keys too."""
    return tag("section", content, tabindex="0")


def _marked(names: Names, side: Side) -> list[str]:
    return [shown for (own, _), shown in names.items() if own == side]


def _rates(names: Names, pairings: list[Pairing]) -> list[str]:
    about = (
        "How often the detectives win, in %, with the 95 % Wilson interval. Rows play Mr. X, columns the detectives."
        f" {FORFEITED} marks forfeits, which count as lost."
    )
    scale = tag("div", "Mr. X wins" + tag("i", "") + "the detectives win", class_="scale")
    table = draw_rates(_marked(names, "mr_x"), _marked(names, "detectives"), pairings)
    return [tag("h2", "Win rates"), tag("p", about), _wide(table + scale)]


def _ratings(names: Names, ratings: list[Rating]) -> list[str]:
    if not ratings:
        return []
    about = (
        "Bradley-Terry ratings in Elo points with 95 % bootstrap intervals. Both sides are on one scale, the mean of"
        " all is 0: 200 points more than the other side's policy mean a win in 76 of 100 games, 400 in 91."
    )
    headings = {side: SIDE_WORDS[side][0].upper() + SIDE_WORDS[side][1:] for side in SIDES}
    return [tag("h2", "Ratings"), tag("p", about), tag("section", draw_ratings(ratings, headings, names))]


def _curves(config: Config, names: Names, pairings: list[Pairing]) -> list[str]:
    last = max((result.round for pairing in pairings for result in pairing.results), default=1)
    about = (
        "How soon Mr. X is caught: a panel for each policy that plays him, a curve for each that plays the detectives."
    )
    panels = ""
    for name in config.names("mr_x"):
        own = [pairing for pairing in pairings if pairing.mr_x == name]
        panels += tag(
            "div",
            tag("h3", escape(names["mr_x", name]))
            + draw_curves(own, max(last, 1), f"How soon {names['mr_x', name]} is caught"),
        )
    key = key_of_curves(_marked(names, "detectives"))
    return [tag("h2", "Capture rounds"), tag("p", about), tag("section", key + tag("div", panels, class_="panels"))]


def _captures(config: Config, names: Names, results: Sequence[Result]) -> list[str]:
    caught = Counter(result.caught for result in results if result.caught is not None)
    if not caught:
        return [tag("h2", "Where Mr. X is caught"), tag("p", "Nowhere: he was never caught.")]
    often = ", ".join(f"{station} ({times})" for station, times in caught.most_common(10))
    about = (
        f"All {caught.total()} captures: the larger and hotter a disc, the more often. Most of them happen at {often}."
    )
    shown = _wide(tag("div", draw_captures(config.board, caught), class_="board"))
    drawn = [tag("h2", "Where Mr. X is caught"), tag("p", about), draw_board(config.board), shown]
    if len(config.mr_x) > 1:
        drawn.append(tag("h3", "By the policy that plays him"))
        drawn.append(tag("div", "".join(_own_captures(config, names, results)), class_="boards"))
    return drawn


def _own_captures(config: Config, names: Names, results: Sequence[Result]) -> list[str]:
    drawn = []
    for name in config.names("mr_x"):
        caught = Counter(one.caught for one in results if one.mr_x == name and one.caught is not None)
        title = tag("h3", f"{escape(names['mr_x', name])}: {caught.total()} captures")
        drawn.append(tag("section", title + (draw_captures(config.board, caught) if caught else "")))
    return drawn


def _details(names: Names, pairings: list[Pairing], games: Links) -> list[str]:
    about = (
        "Median round of capture with quartiles, mean size of the possible set after Mr. X's turns, tickets he used"
        " in the mean, and thinking time per decision on the machine that played."
    )
    columns = (*DETAILS, "a game") if games else DETAILS
    head = tag("tr", "".join(tag("th", escape(name), scope="col") for name in columns))
    body = "".join(
        tag("tr", "".join(tag("td", escape(cell)) for cell in detail(names, one)) + _watch(one, games))
        for one in pairings
        if one.results
    )
    table = tag("table", tag("thead", head) + tag("tbody", body), class_="details")
    return [tag("h2", "Every pairing"), tag("p", about), _wide(table)]


def _watch(pairing: Pairing, games: Links) -> str:
    """Link a game of a pairing; an empty cell where others have a link."""
    page = games.get((pairing.mr_x, pairing.detectives))
    whose = f"watch {short_name(pairing.mr_x)} against {short_name(pairing.detectives)}"
    return tag("td", tag("a", "watch", href=page, aria_label=whose) if page else "") if games else ""


def _again(config: Config) -> list[str]:
    versions = ", ".join(f"{name} {version}" for name, version in config.versions.items())
    facts = [
        f"board {config.board.name} ({config.board.signature})",
        f"rules {config.rules.name} ({config.rules_signature})",
        versions,
    ]
    for side in SIDES:
        for policy in config.side(side):
            parameters = ", ".join(f"{name}={value}" for name, value in policy.parameters.items()) or "no parameters"
            facts.append(f"{SIDE_WORDS[side]}: {policy.name} = {policy.path}, {parameters}")
    said = [tag("p", tag("code", escape(command))) for command in commands_of(config)]
    told = "\n".join(" ".join(printable(fact).split()) for fact in facts)
    return [tag("h2", "To run it again"), *said, tag("section", tag("pre", escape(told)))]
