"""The figures of docs/algorithms.md: a flow chart of every algorithm and a decision of it, drawn and explained.

``make figures`` draws all of them anew, or ``python -m bench.figures hunters`` those of some policies. They come where
the page has ``<!-- figures: hunters -->`` and ``<!-- end -->``. The game that they are from gets a page of its own.
"""

import io
import re
import sys
from pathlib import Path

from bench.flow_charts import CHARTS, draw_chart
from scotyard_env import render
from scotyard_env.explanation import Explanation, explain
from scotyard_env.files import write_whole
from scotyard_env.policy import make_policy, sides_of
from scotyard_env.replay import Replay
from scotyard_env.view import View
from scotyard_env.web.page import save_page

PAGE, FOLDER, GAME = Path("docs/algorithms.md"), Path("docs/figures"), Path("docs/game.jsonl")
MOMENTS = {"mr_x": 24, "detectives": 25, "decoy": 0}  # of the game, by side; of decoy, one at which the wheel turns
ONE_PLY = ("greedy", "hider", "coverage", "last_known")
CHART_OF = dict.fromkeys(ONE_PLY, "one_ply") | {"ppo_mr_x": "ppo", "ppo_detectives": "ppo"}  # others have their own
ASKED_AS = {"bristol_mr_x": "bristol_mr_x:depth=5"}  # by the clock, no two pictures are the same
WIDTH, HEIGHT, COLOURS = 960, 720, 255
PLACE = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def charts_of(name: str) -> list[str]:
    """List the flow charts of an algorithm, the main one first."""
    first = CHART_OF.get(name, name)
    return [chart for chart in CHARTS if chart == first or chart.startswith(f"{first}_")]


def draw_decision(view: View, explanation: Explanation) -> bytes:
    """Draw a decision as a small PNG file."""
    from PIL import Image

    picture = Image.fromarray(render.rgb_array(view, WIDTH, HEIGHT, explanation=explanation))
    file = io.BytesIO()
    picture.quantize(COLOURS, Image.Quantize.MEDIANCUT, kmeans=2, dither=Image.Dither.NONE).save(
        file, "PNG", optimize=True
    )
    return file.getvalue()


def explain_moment(name: str) -> tuple[str, View, Explanation]:
    """Return a decision of a policy in the game of the page: the command that draws it, what is seen, and why."""
    policy = ASKED_AS.get(name, name)
    side = sides_of(make_policy(policy))[-1]  # the detectives if it plays both
    moment = MOMENTS.get(name, MOMENTS[side])
    game = Replay.load(GAME).game(moment)
    view = game.view(game.seat)
    command = f"scotyard watch {GAME} --at {moment} --{side.replace('_', '-')} {policy} --out decision.png"
    return command, view, explain(policy, view)


def make_figures(name: str) -> str:
    """Draw the charts of an algorithm and, if it is a policy, a decision of it; return what the page says."""
    text = []
    for chart in charts_of(name):
        write_whole(FOLDER / f"{chart}_chart.svg", draw_chart(CHARTS[chart]))
        text.append(f"![Flow chart of {chart}](figures/{chart}_chart.svg)")
    if name == "alphabeta":  # which is no policy
        return "\n\n".join(text)
    command, view, explanation = explain_moment(name)
    write_whole(FOLDER / f"{name}.png", draw_decision(view, explanation))
    text += [f"`{command}`:", f"![A decision of {name}](figures/{name}.png)", f"```text\n{explanation}\n```"]
    head = '<details markdown="1">\n<summary>Flow chart, and a decision explained</summary>'
    return "\n\n".join([head, *text, "</details>"])


def main() -> None:
    """Fill the places of the page, all or those of the policies that are named."""
    page = PAGE.read_text(encoding="utf-8")
    places = [name for _, name, _ in PLACE.findall(page)]
    wanted = sys.argv[1:] or places
    if missing := set(wanted) - set(places):
        sys.exit(f"figures: {PAGE} keeps no place for {', '.join(sorted(missing))}: there are {', '.join(places)}")
    FOLDER.mkdir(exist_ok=True)
    save_page(Replay.load(GAME), GAME.with_suffix(".html"))
    made = {name: make_figures(name) for name in wanted}

    def fill(match: re.Match[str]) -> str:
        return f"{match[1]}{made[match[2]]}\n{match[3]}" if match[2] in made else match[0]

    write_whole(PAGE, PLACE.sub(fill, page))
    print(f"{PAGE}: {len(made)}")


if __name__ == "__main__":
    main()
