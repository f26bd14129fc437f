"""A policy is anything with ``act``: an object, or a class or function that makes one, dataclass or not, installed or
``module:name``. One that is broken is named in a warning and stands in nobody's way.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from calling import call

from scotyard_env import make_solo, make_vec
from scotyard_env.arena import play_match, tournament
from scotyard_env.arena.contenders import Contender, split_names
from scotyard_env.belief import belief_names, weigh
from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.plugins import PluginWarning
from scotyard_env.policy import (
    Decision,
    PolicyError,
    PolicyLike,
    Side,
    files_of,
    make_nested,
    make_policy,
    nest,
    policy_names,
    sides_of,
)
from scotyard_env.ruleset import RuleSet
from scotyard_env.testing import policy_test
from scotyard_env.view import View

PLUGIN = '''
"""A module of somebody else, whose policies are everything but dataclasses."""

from scotyard_env.policy import Decision


class Plain:
    """Play the legal action of some number."""

    sides = ["detectives"]

    def __init__(self, number: int = 0) -> None:
        self.number = number

    def act(self, view, rng):
        return Decision(view.legal[min(self.number, len(view.legal) - 1)])


class Told(Plain):
    @property
    def sides(self):
        return ("mr_x",)


class Confused(Plain):
    sides = ("thief",)


class Mute(Plain):
    class sides:
        def __iter__(self):
            raise RuntimeError("no sides today")
    sides = sides()


def make_plain(number: int = 0):
    return Plain(number)


def make_named(text, number: int = 0):
    """Play the legal action of some number, whatever the text says."""
    made = Plain(number)
    made.text = text
    return made


def make_word(text):
    return make_named(text)


class NoPolicy:
    pass


def last_possible(view):
    belief = [0.0] * (view.board.stations + 1)
    belief[view.possible[-1]] = 1.0
    return belief


def no_belief(view):
    return [1.0, 1.0]


ready = Plain(1)
number = 3
'''

ENTRY_POINTS = """
[scotyard_env.policies]
greedy = their_policies:Plain
their_class = their_policies:Plain
their_property = their_policies:Told
their_function = their_policies:make_plain
their_object = their_policies:ready
bad_module = their_missing_policies:Plain
bad_name = their_policies:Nothing
bad_import = their_broken_policies:Plain
bad_exit = their_leaving_policies:Plain
bad_class = their_policies:NoPolicy
bad_number = their_policies:number
bad_sides = their_policies:Confused
bad_mute = their_policies:Mute
bad_need = their_needy_policies:Plain [fast]

[scotyard_env.beliefs]
last_possible = their_policies:last_possible
paths = their_policies:no_belief
bad_belief = their_policies:no_belief
bad_thing = their_policies:number

[scotyard_env.policy_schemes]
their = their_policies:make_named
word = their_policies:make_word
bad_scheme = their_policies:ready
bad_gone = their_missing_policies:make
"""
FORMS = ["their_class", "their_function", "their_object"] + [
    f"their_policies:{name}" for name in ("Plain", "make_plain", "ready")
]
BROKEN = {
    "bad_module": "cannot be loaded: ModuleNotFoundError: No module named 'their_missing_policies'",
    "bad_name": "cannot be loaded: AttributeError",
    "bad_import": "cannot be loaded: ZeroDivisionError",
    "bad_exit": "cannot be loaded: SystemExit: 3",
    "bad_class": "is no policy: their_policies:NoPolicy should have act(view, rng)",
    "bad_number": "is no policy: their_policies:number should have act(view, rng)",
    "bad_sides": "the sides of Confused are ('thief',): give some of mr_x, detectives",
    "bad_mute": "Mute cannot say its sides: RuntimeError: no sides today",
    "bad_need": "needs no_such_library: pip install 'their-policies[fast]'",
}


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a package that adds policies, of which some are no good."""
    (tmp_path / "their_policies.py").write_text(PLUGIN)
    (tmp_path / "their_broken_policies.py").write_text("1 / 0\n")
    (tmp_path / "their_leaving_policies.py").write_text("import sys\nsys.exit(3)\n")
    (tmp_path / "their_needy_policies.py").write_text("import no_such_library.part\n")
    information = tmp_path / "their_policies-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: their-policies\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("their_policies", None)


@pytest.mark.usefixtures("plugin")
def test_a_listing_names_what_is_broken_once_and_lists_the_others() -> None:
    with pytest.warns(PluginWarning) as told:
        names = policy_names()
    sentences = [str(one.message) for one in told]
    assert len(sentences) == len(BROKEN) + 1
    for name, words in BROKEN.items():
        found = [sentence for sentence in sentences if f"the policy '{name}' of their-policies" in sentence]
        assert len(found) == 1
        assert words in found[0]
    assert {"their_class", "their_property", "their_function", "their_object", "greedy", "hunters"} <= set(names)
    assert not set(BROKEN) & set(names)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "their_function" in policy_names("detectives")
        assert "their_function" not in policy_names("mr_x")  # it was asked for a policy, which says so
        assert "their_object" not in policy_names("mr_x")


@pytest.mark.usefixtures("plugin")
def test_ours_keeps_its_name() -> None:
    with pytest.warns(PluginWarning, match="'greedy' of their-policies is left out: the policy 'greedy' of scotyard-e"):
        assert type(make_policy("greedy")).__module__ == "scotyard_baselines.greedy"


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.filterwarnings("ignore::scotyard_env.plugins.PluginWarning")
def test_who_asks_for_a_broken_policy_is_told_what_is_wrong_with_it(name: str) -> None:
    with pytest.raises(PolicyError) as error:
        make_policy(name)
    assert BROKEN[name] in str(error.value)


@pytest.mark.usefixtures("plugin")
def test_the_command_lists_and_plays_all_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert call(monkeypatch, "policies") == 0
    said = capsys.readouterr()
    assert "their_class          detectives             Play the legal action of some number.\n" in said.out
    assert "number=0" in said.out
    assert "their:TEXT" in said.out
    warned = [line for line in said.err.splitlines() if line.startswith("scotyard: warning: the policy 'bad_module'")]
    assert len(warned) == 1
    assert "Traceback" not in said.err
    out = tmp_path / "match"
    assert call(monkeypatch, f"match --board docklands --mr-x random --detectives their_class --out {out}") == 0
    assert call(monkeypatch, f"match --detectives bad_exit --out {out}") == 2
    assert "scotyard: the policy 'bad_exit' of their-policies cannot be loaded" in capsys.readouterr().err


@pytest.mark.usefixtures("plugin")
@pytest.mark.filterwarnings("ignore::scotyard_env.plugins.PluginWarning")
@pytest.mark.parametrize("form", [*FORMS, "class", "function", "object"])
def test_every_form_of_a_policy_plays_wherever_one_is_asked_for(form: str) -> None:
    import their_policies  # type: ignore[import-not-found]

    objects = {"class": their_policies.Plain, "function": their_policies.make_plain, "object": their_policies.ready}
    policy: PolicyLike = objects.get(form, form)
    made = make_policy(policy, side="detectives")
    assert sides_of(made) == ("detectives",)
    with pytest.raises(PolicyError, match="plays detectives, not mr_x"):
        make_policy(policy, side="mr_x")
    played = play_match("random", policy, board="glasses")
    assert played.game.winner is not None
    result = tournament("random", policy, games=1, board="glasses").results[0]
    assert result.forfeit is None
    for env in (make_solo(side="mr_x", opponent=policy, board="glasses"), make_vec(2, "mr_x", policy, board="glasses")):
        env.reset(seed=1)


@pytest.mark.usefixtures("plugin")
@pytest.mark.filterwarnings("ignore::scotyard_env.plugins.PluginWarning")
@pytest.mark.parametrize("form", ["their_class", "their_policies:make_plain", "their_policies:ready"])
def test_every_form_of_a_policy_can_be_checked(form: str) -> None:
    assert len(policy_test(form, quick=True).findings) > 5


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("their_policies:Plain:size=3", "has no parameter 'size': it has number"),
        ("their_policies:make_plain:number=few", "number is 'few', give a value of type int"),
        ("their_policies:ready:number=2", "is made already: it takes no parameters"),
        ("their_policies:number", "is not a policy: give a name, or an object with act(view, rng)"),
        ("their_leaving_policies:Plain", "cannot be made: SystemExit: 3"),
        ("their:", "'their:' names no text: write their:TEXT"),
        ("their:a:size=3", "has no parameter 'size': it has text, number"),
        ("bad_scheme:a", "the scheme 'bad_scheme' of their-policies is no scheme"),
        ("bad_gone:a", "the scheme 'bad_gone' of their-policies cannot be loaded"),
    ],
)
def test_wrong_parameters_are_refused_whatever_makes_the_policy(name: str, words: str) -> None:
    with pytest.raises(PolicyError) as error:
        make_policy(name)
    assert words in str(error.value)


@pytest.mark.usefixtures("plugin")
@pytest.mark.filterwarnings("ignore::scotyard_env.plugins.PluginWarning")
@pytest.mark.parametrize("name", ["their_policies:ready", "their_object"])
def test_an_object_with_a_name_is_not_shared_between_those_who_ask_for_it(name: str) -> None:
    assert make_policy(name) is not make_policy(name)


# Schemes


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    ("name", "text", "number"),
    [
        ("their:a/b.zip", "a/b.zip", 0),
        ("their:a/b.zip:number=3", "a/b.zip", 3),
        ("their:C:/b=1.zip", "C:/b=1.zip", 0),
        ("word:run --at host:port=3", "run --at host:port=3", 0),
    ],
)
def test_what_stands_behind_a_scheme_is_handed_over_and_parameters_may_follow(
    name: str, text: str, number: int
) -> None:
    made = make_policy(name)
    assert (made.text, made.number) == (text, number)  # type: ignore[attr-defined]


def test_a_list_keeps_what_belongs_together() -> None:
    assert split_names(
        'sb3:a.zip:deterministic=True,process:./bot --levels "1,2" -x=1,exploiter:samples=1,against=a:b=1'
    ) == [
        "sb3:a.zip:deterministic=True",
        'process:./bot --levels "1,2" -x=1',
        "exploiter:samples=1,against=a:b=1",
    ]


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize("text", ["a", "c++/bot", "1e+5", "a+"])
def test_a_nested_name_comes_back_as_it_was(text: str) -> None:
    made = make_nested(nest(f"their:{text}:number=2"))
    assert (made.text, made.number) == (text, 2)  # type: ignore[attr-defined]
    assert nest("hunters:uniform_mix=0,starts=2") == "hunters:uniform_mix=0+starts=2"


# Beliefs


@pytest.mark.usefixtures("plugin")
def test_a_belief_that_is_installed_is_a_name_like_ours() -> None:
    view = Game("docklands", seed=1).view(1)
    assert weigh(view, "last_possible")[view.possible[-1]] == 1.0
    assert set(belief_names()) >= {"paths", "uniform", "evasive", "choice_model", "last_possible"}
    assert weigh(view, "paths")[view.possible].sum() == pytest.approx(1)  # ours keeps its name
    assert make_policy("minimax:belief=last_possible,depth=2,beam=2").act(view, np.random.default_rng(0))
    for name, words in {
        "bad_belief": "the belief 'bad_belief' is no belief on board 'docklands': it should give 33 numbers",
        "bad_thing": "the belief 'bad_thing' of their-policies is no belief: their_policies:number should be",
        "nothing": "there is no weighting 'nothing': there are paths, uniform, evasive, bad_belief",
    }.items():
        with pytest.raises(ValueError, match=words):
            weigh(view, name)


def test_our_choice_model_is_a_belief_by_name() -> None:
    game = Game("docklands", seed=1)
    for _ in range(4):
        game.play(game.legal[0])
    belief = weigh(game.view(1), "choice_model")
    assert belief.sum() == pytest.approx(1)
    assert {station for station in range(len(belief)) if belief[station] > 0} == set(game.possible)


# What a policy says of itself


class OnlyGlasses:
    """Plays on one board."""

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        return Decision(view.legal[0])

    def check_fit(self, board: Board, rules: RuleSet, side: Side) -> None:
        if board.name != "glasses":
            raise PolicyError(f"{side} was trained on glasses, not on {board.name}")


def test_who_does_not_fit_is_refused_before_the_first_game() -> None:
    for ask in (
        lambda: play_match("random", OnlyGlasses, board="docklands"),
        lambda: tournament("random", OnlyGlasses, games=1, board="docklands"),
        lambda: make_solo(side="mr_x", opponent=OnlyGlasses, board="docklands"),
        lambda: make_vec(2, "mr_x", OnlyGlasses, board="docklands"),
    ):
        with pytest.raises(PolicyError, match="detectives was trained on glasses, not on docklands"):
            ask()
    assert play_match("random", OnlyGlasses, board="glasses").game.winner is not None


def test_a_policy_is_checked_where_it_fits() -> None:
    class Nowhere(OnlyGlasses):
        def check_fit(self, board: Board, rules: RuleSet, side: Side) -> None:
            raise PolicyError("never")

    assert len(policy_test(OnlyGlasses, quick=True).findings) > 5
    with pytest.raises(PolicyError, match="Nowhere fits none of our boards"):
        policy_test(Nowhere, quick=True)


def test_results_of_two_versions_of_a_file_are_told_apart(tmp_path: Path) -> None:
    class FromFile(OnlyGlasses):
        files = (tmp_path / "weights",)

    contender, described = Contender("mine", FromFile, "mr_x"), []
    for content in ("one", "two", "one"):
        (tmp_path / "weights").write_text(content)
        described.append(contender.describe())
    assert described[0] == described[2] != described[1]
    assert files_of(make_policy("greedy")) == ()
