"""The flow charts of docs/algorithms.md: those of the documents, drawn anew, and the same for our own algorithms.

A chart goes down from where it begins; a question that is answered with yes leads to a box beside it, or back.
"""

from typing import Any, NamedTuple

WIDTH, LINE, SIDE = 9.0, 0.42, 6.4  # of a box, of a line of text, of a box at the side; in inches of the drawing
FONT = "DejaVu Sans, Verdana, sans-serif"


class Step(NamedTuple):
    """Something that is done."""

    text: str


class Ask(NamedTuple):
    """A question; where the answer is yes, that is done, or it goes back to the step of that number, from 0."""

    question: str
    yes: str | int
    goes_on: bool = False  # after what is done, with the next step; else it ends there


CHARTS: dict[str, list[Step | Ask]] = {
    "minimax": [
        Step("what the detectives know: positions, tickets,\nMr. X's log, the reveals to come"),
        Step("preprocessing: the transport graph,\nits distances, kept for all that follows"),
        Step("topKBeliefNodes: the K likeliest stations of Mr. X"),
        Step("horizonDepth: fewer layers with few tickets,\nor when a reveal is imminent"),
        Step("jointDetectiveMoves: plans for all pawns, the most\nthreatening first, dominated ones dropped"),
        Step("simulateDetectivePlan of the next plan,\nthen MiniMax from there"),
        Ask("more plans?", 5),
        Step("the best plan, with its confidenceMargin:\nhow far the runner-up is behind"),
    ],
    "minimax_recursion": [
        Step("MiniMax(state, depth, alpha, beta)"),
        Ask(
            "depth = 0, or\nthe game is over?",
            "Evaluate: w_1 distance\n+ w_2 entropy drop\n+ w_3 ticket pressure\n- w_4 clustering",
        ),
        Ask("in the transposition\ntable?", "the value that is kept"),
        Step(
            "the next child: a plan (jointDetectiveMoves), or an\n"
            "answer of Mr. X (mergeMrXResponses), his\n"
            "evasiveMovesForMrX from every particle"
        ),
        Step(
            "MAX, the detectives, keep the highest value and raise\nalpha; MIN, Mr. X, keeps the lowest and lowers beta"
        ),
        Ask("alpha >= beta?", "cut off: what is left\ncannot change the choice"),
        Ask("more children?", 3),
        Step("keep the value in the table, and return it"),
    ],
    "astar_greedy": [
        Step("positions, tickets, Mr. X's last known position,\nturns since then"),
        Step("GenerateReachableNodes: where he may be by now"),
        Step("ComputeProbabilityMap:\nP = P_base (1 + alpha distanceToClosestDetective),\nmade to add up to 1"),
        Step("for the next detective:\nthe stations with the highest probability"),
        Ask("several?", "the closest of them\n(tie-breaker)", goes_on=True),
        Step("AStar: the shortest path there\nthat its tickets pay for"),
        Step("one step along the path"),
        Ask("more detectives?", 3),
        Step("all have moved"),
    ],
    "decoy": [
        Step("position, detectives, turn, reveal schedule"),
        Ask("a detective within\n2 fields?", "defensive move:\nas far away as he can"),
        Ask("next reveal within\n2 turns?", "defensive move"),
        Ask("field_score here >\ncurrent_score_max?", "defensive move"),
        Step("candidates: the neighbouring fields,\nwith the field_score of each"),
        Step("those above candidate_score_max are removed"),
        Ask("none left?", "defensive move"),
        Step("roulette wheel: the probability of a candidate\nis its share of all field_scores"),
        Step("the move that the wheel stops at"),
    ],
    "alphabeta": [
        Step("node, depth, alpha, beta"),
        Ask("a leaf, or\ndepth = 0?", "its value"),
        Step("search the next child with alpha and beta"),
        Step("MAX keeps the highest value and raises alpha;\nMIN keeps the lowest and lowers beta"),
        Ask("alpha >= beta?", "the other children are\ncut off"),
        Ask("more children?", 2),
        Step("the value, and the path that leads to it"),
    ],
    "bristol_mr_x": [
        Step("where everybody stands; they are taken to see him"),
        Step("look one ply deeper than before,\nthe best move of before first"),
        Step("his moves that score 0 or above: routes out of a\nstation and the average distance of the detectives"),
        Step("answers of the detectives that keep\nor shorten their distance to him"),
        Step("alpha-beta over both, one node at a time;\nleaves are worth their score"),
        Ask("time left?", 1),
        Step(
            "the best move of the last depth that was completed,\n"
            "when all the time is up, so that nobody can tell\n"
            "how many moves he had"
        ),
    ],
    "bristol_detectives": [
        Step(
            "MrXFinder: the stations where Mr. X may be, moved on\nby every ticket, struck out where a detective lands"
        ),
        Ask("not seen yet?", "to the best transport links\n(taxi 5, bus 7, underground 25)"),
        Ask("a possible station\nin reach?", "step onto it"),
        Step("where the average distance to all of them\nis the smallest"),
    ],
    "one_ply": [
        Step("what the seat to move may know"),
        Step("the score of every legal action,\none move ahead"),
        Ask("several best?", "one of them by chance", goes_on=True),
        Step("the action is played"),
    ],
    "hunters": [
        Step("what the detectives know"),
        Step("belief: what a rational Mr. X would have done\n(the choice model)"),
        Step("hedging, a random number of times: weight moves\nto where their plan would not find him"),
        Step("begin with a plan for all pawns: the nearest one,\nthen others at random"),
        Step("the next pawn takes its best choice\nwhile the others keep to the plan"),
        Ask("is the plan better?", 4),
        Step("the first move of the best plan"),
    ],
    "bayes": [
        Step("what the detectives know"),
        Step("play the game again as the table saw it,\nup to Mr. X's next decision"),
        Step(
            "ask every network what it would have done from each\nstation; weigh network and station by what he showed"
        ),
        Ask("decisions left?", 1),
        Step("hedging, and a joint plan, as hunters make it"),
        Step("the first move of the best plan"),
    ],
    "phantom": [
        Step(
            "prior: what the network would do; and what detectives\nwho know it will believe after each of his actions"
        ),
        Step("all turns that he can make"),
        Step(
            "play the turns that are left on for some rounds against\nmodelled detectives, some of whom know the prior"
        ),
        Step("value where it ends: the probability that he gets\naway, less the price of tickets"),
        Step("keep the better half (sequential halving)"),
        Ask("rollouts left?", 2),
        Ask("no single move\ngood enough?", "the same with double moves", goes_on=True),
        Step("policy: prior^a exp(value / tau) for each action,\nwith the value of the turn that it begins"),
        Step("one action is drawn"),
    ],
    "pimbot": [
        Step("what the seat to move may know"),
        Step("determinization: put Mr. X on a possible station,\nby the weight of its category"),
        Step("selection: down the tree by UCT and\nprogressive history"),
        Step("expansion by one node, then a playout\nwith greedy moves"),
        Step("backpropagation: who won; a catch by a colleague\ncounts less (coalition reduction)"),
        Ask("iterations left?", 1),
        Step("the action that was visited most"),
    ],
    "ppo": [
        Step("what the seat to move may know"),
        Step(
            "inputs: stations, tickets, log and a belief for the\nposition; ticket and destination for every legal move"
        ),
        Step("the network scores every legal move"),
        Step("probabilities: the softmax of the scores"),
        Step("one move is drawn"),
    ],
    "exploiter": [
        Step("where everybody stands, and the very policy\nof the detectives"),
        Step("play every turn on for some rounds against it,\nas often as there are samples"),
        Ask("no single move\ngood enough?", "the same with double moves", goes_on=True),
        Step("the first action of the best turn"),
    ],
    "tracker": [
        Step("Mr. X's log, and his very policy"),
        Step("play the game again as the table saw it,\nfor every station where he may be"),
        Step(
            "ask his policy at each decision what it would have done;\nwhat does not fit the tickets loses its weight"
        ),
        Step("plan as hunters do, with this belief"),
    ],
}


def draw_chart(steps: list[Step | Ask]) -> str:
    """Draw a flow chart as an SVG document."""
    import schemdraw
    from schemdraw import elements, flow

    drawing = schemdraw.Drawing(canvas="svg", show=False)
    drawing.config(unit=0.6, fontsize=11, font=FONT, lw=1.3, bgcolor="white", margin=0.3)
    boxes: list[Any] = []
    beside = None  # the box at the side of the step before, if it goes on from there
    for number, step in enumerate(steps):
        box = _box(step, is_end=number in (0, len(steps) - 1)).anchor("N")
        drawing += box.at(drawing.add(flow.Arrow().down().length(0.7).at(boxes[-1].S)).end) if boxes else box
        if beside is not None:
            drawing += elements.Wire("|-", arrow="->").at(beside.S).to(box.E)
        beside = None
        if isinstance(step, Ask) and isinstance(step.yes, int):
            drawing += elements.Wire("c", k=-2.6, arrow="->").at(box.W).to(boxes[step.yes].W)
        elif isinstance(step, Ask):
            way = drawing.add(flow.Arrow().right().length(0.9).at(box.E))
            done = drawing.add(flow.Box(w=SIDE, h=_height(str(step.yes))).label(step.yes).anchor("W").at(way.end))
            beside = done if step.goes_on else None
        boxes.append(box)
    document: bytes = drawing.get_imagedata("svg")
    return document.decode()


def _box(step: Step | Ask, is_end: bool) -> Any:
    from schemdraw import flow

    if isinstance(step, Ask):
        side = "W" if isinstance(step.yes, int) else "E"
        return flow.Decision(w=6.4, h=2.2 * _height(step.question), S="no", **{side: "yes"}).label(step.question)
    return (flow.Terminal if is_end else flow.Box)(w=WIDTH, h=_height(step.text)).label(step.text)


def _height(text: str) -> float:
    return 0.6 + LINE * (1 + text.count("\n"))
