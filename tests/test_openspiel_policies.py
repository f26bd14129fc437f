"""Policies go both ways between OpenSpiel and us: bots, worlds, searches and learners on London."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_openspiel import load, play_on

from scotyard_env.board import Board
from scotyard_env.game import Game, set_up
from scotyard_env.policy import Decision, PolicyError, make_policy
from scotyard_env.ruleset import RuleSet, resolve
from scotyard_env.state import MR_X
from scotyard_env.testing import policy_test
from scotyard_env.testing.positions import list_settings
from scotyard_env.view import View

pyspiel = pytest.importorskip("pyspiel", reason="needs OpenSpiel: pip install 'scotyard-env[openspiel]'")

from open_spiel.python import policy as openspiel_policy  # noqa: E402
from open_spiel.python.algorithms import evaluate_bots, ismcts, mcts  # noqa: E402

from scotyard_env.openspiel import Ismcts, OpenSpielBot, OpenSpielPolicy, Resampler, ScotlandYardBot  # noqa: E402
from scotyard_env.openspiel.policies import game_of  # noqa: E402
from scotyard_env.openspiel.worlds import paths_of, state_of  # noqa: E402

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


class First:
    """Plays the first legal action, and keeps what it was shown."""

    def __init__(self) -> None:
        self.views: list[View] = []

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        self.views.append(view)
        return Decision(view.legal[0])


# ------------------------------------------------------------------------------------------------------ ours as bots


def play(bots: list[Any], game: Any, seed: int = 0) -> list[float]:
    """Play a game between two bots; OpenSpiel's evaluate_bots restarts them first, which its ISMCTS refuses."""
    state = play_on(game.new_initial_state(), np.random.default_rng(seed), 0)
    while not state.is_terminal():
        state.apply_action(int(bots[state.current_player()].step(state)))
    return list(state.returns())


def test_any_policy_plays_by_its_name_against_any_other() -> None:
    game = load()
    results = [
        play([ScotlandYardBot(mr_x, 0, seed), ScotlandYardBot("coverage", 1, seed)], game, seed)
        for seed, mr_x in enumerate(("random", "greedy", "hider"))
    ]
    assert all(sorted(result) == [-1.0, 1.0] for result in results)
    assert results[0] == [-1.0, 1.0]


def test_a_bot_plays_the_same_game_from_the_same_seed() -> None:
    def history(seed: int) -> list[int]:
        state, rng = load(board="docklands").new_initial_state(), np.random.RandomState(0)
        evaluate_bots.evaluate_bots(
            state, [ScotlandYardBot("greedy", 0, seed), ScotlandYardBot("greedy", 1, seed)], rng
        )
        return list(state.history())

    assert history(3) == history(3)
    assert len({tuple(history(seed)) for seed in range(5)}) > 1


def test_a_bot_sees_what_its_seat_may_know_and_no_more() -> None:
    mr_x, detectives = First(), First()
    play([ScotlandYardBot(mr_x, 0), ScotlandYardBot(detectives, 1)], load(board="docklands"))
    assert {view.viewer for view in mr_x.views} == {MR_X}
    assert {view.viewer for view in detectives.views} == {1, 2}
    assert all(view.seat == view.viewer for view in mr_x.views + detectives.views)
    assert all(view.stations[MR_X] == 0 for view in detectives.views)


def test_a_bot_tells_the_probabilities_that_its_policy_tells() -> None:
    state = play_on(load(board="docklands").new_initial_state(), np.random.default_rng(0), 0)
    told, action = ScotlandYardBot("random", 0, seed=1).step_with_policy(state)
    assert dict(told) == pytest.approx(dict.fromkeys(state.legal_actions(), 1 / len(state.legal_actions())))
    assert action in state.legal_actions()


@pytest.mark.parametrize(
    ("policy", "player", "words"),
    [
        ("nobody", 0, "there is no policy 'nobody'"),
        ("hider", 1, "policy 'hider' plays mr_x, not detectives"),
        ("random", 2, "there is no player 2: 0 is Mr. X, 1 the detectives"),
    ],
)
def test_bots_that_cannot_be_are_refused(policy: str, player: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ScotlandYardBot(policy, player)


# ------------------------------------------------------------------------------------------------------------- worlds


def test_a_view_of_any_setting_becomes_a_state_in_which_it_is_the_same() -> None:
    rng = np.random.default_rng(0)
    for number, (board, rules) in enumerate(list(list_settings())[::4]):
        game = Game(board, rules, seed=number)
        while game.winner is None:
            if rng.random() < 0.06:
                view = game.view(game.seat)
                state = state_of(game_of(board, rules), view, rng)
                assert state.game.view(game.seat).states.tobytes() == view.states.tobytes()
                assert state.current_player() == (0 if game.seat == MR_X else 1)
            game.play(int(rng.choice(game.legal)))


def test_so_does_a_view_of_a_game_that_nobody_dealt() -> None:
    board, rules = resolve("london", detectives=2)
    purses = [[9, 9, 9, 1, 1], [5, 5, 5, 0, 0], [1, 2, 3, 0, 0]]
    game = Game.from_start(board, rules, set_up(board, rules, (100, 2, 3), purses, None))
    for move in ("T101", "T20", "T4"):
        game.play(move)
    game.play(game.legal[0])
    view = game.view(1)
    state = state_of(game_of(board, rules), view, np.random.default_rng(0))
    assert state.game.view(1).states.tobytes() == view.states.tobytes()


def test_a_world_is_one_that_the_detectives_cannot_tell_from_the_state() -> None:
    rng, resample, elsewhere = np.random.default_rng(2), Resampler(3), 0
    state = play_on(load().new_initial_state(), rng, 0)
    while not state.is_terminal():
        if state.current_player() == 1 and rng.random() < 0.2:
            world = resample(state, 1)
            assert world.information_state_string(1) == state.information_state_string(1)
            assert world.information_state_tensor(1) == state.information_state_tensor(1)
            assert world.legal_actions() == state.legal_actions()
            elsewhere += world.game.stations[MR_X] != state.game.stations[MR_X]
        play_on(state, rng, 1)
    assert elsewhere > 5


def test_mr_x_knows_his_world() -> None:
    state = play_on(load(board="docklands").new_initial_state(), np.random.default_rng(2), 6)
    assert Resampler(1)(state, 0).history() == state.history()
    assert state.resample_from_infostate(0, pyspiel.UniformProbabilitySampler(0.0, 1.0)).history() == state.history()


@pytest.mark.parametrize("belief", ["paths", "uniform"])
def test_worlds_are_drawn_by_a_belief_over_all_possible_stations(belief: str) -> None:
    from scotyard_env.belief import weigh

    state = play_on(load(board="docklands", reveals="none").new_initial_state(), np.random.default_rng(3), 4)
    assert len(state.game.possible) > 4
    resample = Resampler(0, belief)
    drawn = Counter(resample(state, 1).game.stations[MR_X] for _ in range(600))
    weights = weigh(state.view(1), belief)
    assert set(drawn) == set(state.game.possible)
    for station in state.game.possible:
        assert drawn[station] / 600 == pytest.approx(weights[station], abs=0.08)


def test_the_paths_are_those_of_a_plain_search() -> None:
    state = play_on(load(board="docklands", reveals="none").new_initial_state(), np.random.default_rng(4), 5)
    paths = paths_of(state.game)
    listed = {tuple(path) for end in paths.counts[-1] for path in paths.list_to(end)}
    assert len(listed) == sum(paths.counts[-1].values())
    assert listed == search_paths(state)


def search_paths(state: Any) -> set[tuple[int, ...]]:
    """Try all starts and actions of Mr. X, and keep those that look to the table as the game did."""
    found: set[tuple[int, ...]] = set()

    def go_on(world: Any, rest: list[int], path: tuple[int, ...]) -> None:
        if not state.information_state_string(1).startswith(world.information_state_string(1)):
            return
        if not rest:
            found.add(path)
            return
        moves = world.legal_actions() if world.current_player() == 0 else rest[:1]
        for action in moves:
            after = world.child(action)
            there = (after.game.stations[MR_X],) if world.current_player() == 0 else ()
            if not after.is_terminal():
                go_on(after, rest[1:], path + there)

    *detectives, _ = state.cards
    deal = state.get_game().new_initial_state()
    for card in detectives:
        deal.apply_action(card)
    for card, _ in deal.chance_outcomes():
        go_on(deal.child(card), state.game.actions, (card,))
    return found


# ---------------------------------------------------------------------------------------------------- theirs as ours


def make_uniform_bot(game: Any, player: int, seed: int) -> Any:
    assert game.get_type().short_name == "python_scotland_yard"
    return pyspiel.make_uniform_random_bot(player, seed)


def uniform() -> OpenSpielPolicy:
    """Make a policy of ours of one of OpenSpiel, as a user's module would."""
    return OpenSpielPolicy(openspiel_policy.UniformRandomPolicy(game_of(*next(iter(list_settings())))), most_paths=5)


def test_a_policy_of_openspiel_keeps_what_a_policy_promises() -> None:
    policy_test(uniform, quick=True)


def test_it_plays_by_the_name_of_what_makes_it() -> None:
    made = make_policy("test_openspiel_policies:uniform")
    view = Game("docklands", seed=1).view(MR_X)
    decision = made.act(view, np.random.default_rng(0))
    assert dict(decision.probabilities) == pytest.approx(dict.fromkeys(view.legal, 1 / len(view.legal)))


def test_bots_of_openspiel_play_in_our_games() -> None:
    from scotyard_env.arena.match import play_match

    bot = OpenSpielBot(make_uniform_bot)
    assert play_match("hider", bot, board="docklands", seed=1).game.winner in ("mr_x", "detectives")


def test_a_policy_that_knows_nothing_of_a_position_is_refused() -> None:
    made = OpenSpielPolicy(Silent())
    with pytest.raises(PolicyError, match="knows nothing of 'starts"):
        made.act(Game("docklands", seed=1).view(MR_X), np.random.default_rng(0))


def test_what_is_no_policy_or_bot_of_openspiel_is_refused() -> None:
    with pytest.raises(PolicyError, match="'greedy' is no policy of OpenSpiel: it should have action_probabilities"):
        OpenSpielPolicy("greedy")
    with pytest.raises(PolicyError, match="3 makes no bot"):
        OpenSpielBot(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="there is no belief 'wild': there are paths, uniform"):
        Ismcts(belief="wild")


class Silent:
    def action_probabilities(self, state: Any) -> dict[int, float]:
        return {}


# ------------------------------------------------------------------------------------------------------------- London


def test_openspiels_ismcts_plays_a_game_on_london() -> None:
    game = load(rules="classic")
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(0))
    bot = ismcts.ISMCTSBot(game, evaluator, 2.0, 2, random_state=np.random.RandomState(1))
    bot.set_resampler(Resampler(2))
    assert sorted(play([ScotlandYardBot("greedy", 0, 1), bot], game)) == [-1.0, 1.0]


def test_and_is_a_policy_of_ours_by_name() -> None:
    made = make_policy("scotyard_env.openspiel:Ismcts:simulations=40,belief=uniform")
    assert isinstance(made, Ismcts)
    game = Game.from_position("docklands", stations=(1, 3, 27))
    for _ in range(2):
        game.play(made.act(game.view(game.seat), np.random.default_rng(0)).action)
    with pytest.raises(PolicyError, match="give at least 1 of each"):
        make_policy("scotyard_env.openspiel:Ismcts:simulations=0")


def test_ismcts_catches_a_mr_x_who_shows_himself_beside() -> None:
    board = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-1 3-T-6 6-T-7 7-T-3", name="ring")
    rules = RuleSet(log_entries=6, reveals=(1,), detective_starts=None, mr_x_starts=None)
    game = Game.from_position(board, rules, stations=(1, 3))
    game.play("T2")
    decision = Ismcts(simulations=60).act(game.view(1), np.random.default_rng(0))
    assert game.describe(decision.action).station == 2


def test_openspiels_ppo_trains_on_london_and_its_network_is_a_policy_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="needs PyTorch: pip install 'scotyard-env[train]'")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import openspiel_ppo

    openspiel_ppo.main(
        openspiel_ppo.Settings(
            side="detectives", opponent="random", steps=64, envs=2, steps_per_batch=32, games=1, out=tmp_path / "ppo.pt"
        )
    )
    assert "% after 64 decisions" in capsys.readouterr().out
    made = make_policy(f"openspiel_ppo:trained:file={tmp_path / 'ppo.pt'}", side="detectives")
    game = Game(seed=1)
    game.play(game.legal[0])
    decision = made.act(game.view(game.seat), np.random.default_rng(0))
    assert decision.action in game.legal
    with pytest.raises(PolicyError, match="plays detectives, not mr_x"):
        make_policy(f"openspiel_ppo:trained:file={tmp_path / 'ppo.pt'}", side="mr_x")
