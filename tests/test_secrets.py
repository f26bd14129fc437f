"""Nobody can read or change what is not theirs: rngs hide the deal, messages hide Mr. X, shared arrays hold."""

from __future__ import annotations

import copy
import pickle
import threading
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pytest

import scotyard_env
from scotyard_baselines.capture.times import capture_times
from scotyard_baselines.networks.weights import DATA, load_weights
from scotyard_baselines.planning.weights import make_weights
from scotyard_env.arena.deals import deal_game
from scotyard_env.arena.match import play_match
from scotyard_env.arena.tournament import tournament
from scotyard_env.batch import Batch
from scotyard_env.board import Board
from scotyard_env.duel import play_games
from scotyard_env.encode import Encoder
from scotyard_env.game import Game, IllegalMoveError
from scotyard_env.policy import Decision, PolicyError, make_policy, policy_names
from scotyard_env.rng import policy_rng, side_rngs
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X, SPECTATOR, STATE
from scotyard_env.view import View

LONDON, CLASSIC = Board.named("london"), RuleSet.named("classic")
SEED = 123_456_789  # that no attacker guesses

# ------------------------------------------------------------------------------------------------------------- the deal


class Spy:
    """Takes down every number that can be read off its rng."""

    def __init__(self) -> None:
        self.found: set[int] = set()
        self.rngs: list[np.random.Generator] = []

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        self.found.update(numbers_of(rng))
        self.rngs.append(rng)
        return Decision(view.legal[0])


def numbers_of(rng: np.random.Generator) -> Iterator[int]:
    """Read all that a generator tells of itself."""
    bits: Any = rng.bit_generator
    sequence = bits.seed_seq
    told = [bits.state, vars(bits) if hasattr(bits, "__dict__") else (), getattr(sequence, "state", None)]
    return flatten([*told, getattr(sequence, "entropy", None), getattr(sequence, "pool", np.zeros(0, int)).tolist()])


def flatten(value: Any) -> Iterator[int]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for part in value:
            yield from flatten(part)
    elif isinstance(value, int):
        yield value


def deals_from(numbers: Iterable[int]) -> set[bytes]:
    """Deal every game that a number may be the seed of."""
    deals = set()
    for number in numbers:
        deals.add(Game(seed=number).start.tobytes())
        deals.update(deal_game(LONDON, CLASSIC, number, match).start.tobytes() for match in range(2))
        deals.update(state.tobytes() for state in Batch(2, seed=number).states)
    return deals


def spy_on_a_match() -> tuple[set[bytes], list[Spy]]:
    spies = [Spy(), Spy()]
    return {play_match(*spies, seed=SEED).game.start.tobytes()}, spies


def spy_on_a_tournament() -> tuple[set[bytes], list[Spy]]:
    spies = [Spy(), Spy()]
    tournament(mr_x={"spy": spies[0]}, detectives={"spy": spies[1]}, games=2, seed=SEED)
    return {deal_game(LONDON, CLASSIC, SEED, match).start.tobytes() for match in range(2)}, spies


def spy_on_many_games() -> tuple[set[bytes], list[Spy]]:
    spies = [Spy(), Spy()]
    play_games(*spies, 2, SEED)
    return {state.tobytes() for state in Batch(2, seed=SEED).states}, spies


def spy_on_learners() -> tuple[set[bytes], list[Spy]]:
    spies = [Spy(), Spy()]
    for spy, side in zip(spies, ("detectives", "mr_x"), strict=True):
        env = scotyard_env.make_solo(side=side, opponent=spy)
        envs = scotyard_env.make_vec(2, side=side, opponent=spy)
        observation, _ = env.reset(seed=SEED)
        arrays, _ = envs.reset(seed=SEED)
        env.step(observation["action_mask"].argmax())
        envs.step(arrays["action_mask"].argmax(axis=1))
        spy.found.update(numbers_of(env.unwrapped.np_random))
        spy.found.add(abs(env.unwrapped.np_random_seed))
    return {state.tobytes() for games in (1, 2) for state in Batch(games, seed=SEED).states}, spies


DOORS = [spy_on_a_match, spy_on_a_tournament, spy_on_many_games, spy_on_learners]


@pytest.mark.parametrize("door", DOORS)
def test_the_rng_of_a_policy_does_not_tell_the_deal(door: Callable[[], tuple[set[bytes], list[Spy]]]) -> None:
    deals, spies = door()
    assert deals & deals_from([SEED])  # who knows the seed knows the deal
    for spy in spies:
        assert SEED not in spy.found
        assert not deals & deals_from(spy.found)


@pytest.mark.parametrize("door", DOORS)
def test_nor_does_it_tell_what_the_other_side_draws(door: Callable[[], tuple[set[bytes], list[Spy]]]) -> None:
    _, (mr_x, detectives) = door()
    streams = [{rng.bit_generator.state["state"]["inc"] for rng in spy.rngs} for spy in (mr_x, detectives)]
    assert streams[0]
    assert streams[1]
    assert not streams[0] & streams[1]


def test_an_rng_goes_by_its_key_alone_and_can_be_spawned_from() -> None:
    draws = [
        policy_rng(SEED, 3, "mr_x").spawn(1)[0].random(),
        policy_rng(np.int64(SEED), 3, "mr_x").spawn(1)[0].random(),
    ]
    assert draws[0] == draws[1]
    assert len({rng.random() for seed in (1, 2) for number in (0, 1) for rng in side_rngs(seed, number)}) == 8
    assert len({rng.random() for _ in range(2) for rng in side_rngs(None)}) == 4


def test_the_deals_of_a_batch_do_not_depend_on_what_policies_draw() -> None:
    starts = []
    for policy in ("random", "greedy"):
        envs = scotyard_env.make_vec(4, side="mr_x", opponent=policy, board="docklands")
        envs.reset(seed=1)
        envs.duel.step(np.full(4, -1))
        envs.batch.deal(envs.batch.games)
        starts.append(envs.batch.states["station"].tolist())
    assert starts[0] == starts[1]


# ----------------------------------------------------------------------------------------------------------- messages


class FailsAs:
    """Moves once, and then fails in a way that depends on where Mr. X is."""

    def __init__(self, how: str) -> None:
        self.how = how

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        station = view.stations[MR_X]
        if view.round == 0 and self.how.startswith("later"):
            return Decision(view.legal[0])
        if self.how.endswith("raises"):
            raise KeyError(station)
        near = next(action for action in range(4 * station, 790) if action not in view.legal)
        actions: dict[str, Any] = {"illegal": near, "text": f"T{station}", "no action": -station}
        return Decision(actions[self.how.removeprefix("later ")])

    def __repr__(self) -> str:
        return f"FailsAs({self.__dict__})"


def words_of(play: Callable[[], Any]) -> list[str]:
    """Collect all that is said when something is played: errors with all that hangs on them, and warnings."""
    said = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            play()
        except Exception as error:
            said += traceback.format_exception(error)
            reached: BaseException | None = error
            while reached is not None:
                said.append(repr(reached))
                reached = reached.__context__ or reached.__cause__
    return said + [str(warning.message) for warning in caught]


def play_by_game(station: int, move: Any) -> Callable[[], Any]:
    game = Game.from_position(stations=[station, 13, 26])
    return lambda: game.play(move)


def play_by_aec(station: int, move: Any, illegal: Any, parallel: bool = False) -> Callable[[], Any]:
    make: Any = scotyard_env.parallel_env if parallel else scotyard_env.make
    env = make(detectives=2, illegal=illegal)
    env.reset(options={"stations": [station, 13, 26]})
    return lambda: env.step(dict.fromkeys(env.possible_agents, move) if parallel else move)


def play_by_batch(station: int, move: Any, illegal: Any) -> Callable[[], Any]:
    batch = Batch(1, detectives=2, illegal=illegal)
    batch.states[0] = Game.from_position(stations=[station, 13, 26]).state
    return lambda: batch.step(np.array([move]))


def play_by_solo(station: int, how: str) -> Callable[[], Any]:
    env = scotyard_env.make_solo(side="detectives", opponent=FailsAs(how), detectives=2)
    return lambda: env.reset(options={"stations": [station, 13, 26]})


def play_by_vector(station: int, how: str) -> Callable[[], Any]:
    envs = scotyard_env.make_vec(1, side="detectives", opponent=FailsAs(f"later {how}"), detectives=1)
    envs.reset(seed=3)
    envs.batch.states[0].station[MR_X] = station
    return lambda: envs.step(np.flatnonzero(envs.action_masks()[0])[:1])


SAID = {
    **{f"game {move}": (play_by_game, move) for move in ("T199", "X45", -1, 797, 10**9, None)},
    **{
        f"{door.__name__} {move} {illegal}": (door, move, illegal)
        for door in (play_by_aec, play_by_batch)
        for move in (792, 797, -1)
        for illegal in ("raise", "terminate")
    },
    **{f"parallel {illegal}": (play_by_aec, 792, illegal, True) for illegal in ("raise", "terminate")},
    **{
        f"{door.__name__} {how}": (door, how)
        for door in (play_by_solo, play_by_vector)
        for how in ("raises", "illegal", "text", "no action")
    },
}


@pytest.mark.parametrize("door", SAID)
def test_what_is_said_of_a_bad_move_does_not_depend_on_where_mr_x_is(door: str) -> None:
    make, *how = SAID[door]
    here, there = (words_of(make(station, *how)) for station in (71, 133))
    assert here
    assert here == there


def test_the_learner_of_mr_x_is_told_what_went_wrong_with_the_detectives() -> None:
    env = scotyard_env.make_solo(side="mr_x", opponent=FailsAs("raises"))
    env.reset(seed=1)
    with pytest.raises(KeyError):
        env.step(np.flatnonzero(env.action_masks())[0])


def test_views_do_not_show_what_others_were_shown() -> None:
    batch = Batch(8, "docklands", seed=1)
    for games, viewers in ((np.arange(8), np.full(8, MR_X)), (np.arange(3), np.full(3, SPECTATOR))):
        states = batch.views(games, viewers).states
        room = states.base
        assert isinstance(room, np.ndarray)
        assert room.base is None
        assert room.nbytes == states.nbytes == len(games) * STATE.itemsize


# -------------------------------------------------------------------------------------------------------------- arrays


def arrays_in(thing: Any, seen: dict[int, Any]) -> Iterator[np.ndarray]:
    """List every array that can be reached from something: by its attributes, in containers, as another one's base."""
    if id(thing) in seen or callable(thing) or isinstance(thing, str | int | float | bytes | np.random.Generator):
        return
    seen[id(thing)] = thing
    parts: Iterable[Any] = ()
    if isinstance(thing, np.ndarray | np.void):
        parts = [thing.base, *([thing[name] for name in thing.dtype.names] if thing.dtype.names else [])]
        if isinstance(thing, np.ndarray):
            yield thing
    elif isinstance(thing, dict):
        parts = thing.values()
    elif isinstance(thing, list | tuple | set | frozenset):
        parts = thing
    elif type(thing).__module__.startswith("scotyard"):
        names = {*vars(type(thing)), *getattr(thing, "__dict__", ())}
        parts = [getattr(thing, name) for name in names if not name.startswith("__") and not is_slow(thing, name)]
    for part in parts:
        yield from arrays_in(part, seen)


def is_slow(thing: Any, name: str) -> bool:
    """A drawing is made of no array, but takes its time."""
    return isinstance(thing, Board) and name in ("coordinates", "centrality") and thing.name != "docklands"


def vandalise(*things: Any) -> int:
    """Write into every array that can be reached; return how many there were."""
    arrays = list(arrays_in(things, {}))
    for array in arrays:
        for make_writeable in (False, True):
            try:
                if make_writeable:
                    array.flags.writeable = True
                array[...] = (
                    np.ones(1, np.uint8).view(np.bool_) if array.dtype.names is None else np.ones(1, array.dtype)
                )
            except (ValueError, TypeError):
                continue
    return len(arrays)


def fingerprint(board: Board) -> list[Any]:
    """Play a little anew: deals, observations and decisions."""
    game = Game(board, seed=5)
    seen = [game.start.tobytes(), board.packed.tobytes(), game.packed_rules.tobytes(), game.rules.to_dict()]
    for observation in ("flat", "graph"):
        told = Encoder(board, game.rules, observation, moves=True).observe(game.view(MR_X))
        seen += [array.tobytes() for array in told.values()]
    rng = np.random.default_rng(0)
    return [*seen, make_policy("ppo_mr_x").act(game.view(MR_X), rng), make_policy("greedy").act(game.view(MR_X), rng)]


def everything_at_hand() -> list[Any]:
    """Collect what policies, learners and spectators hold in their hands."""
    board = "docklands"
    env, solo = scotyard_env.make(board=board, observation="graph"), scotyard_env.make_solo(board=board)
    envs = scotyard_env.make_vec(2, board=board, observation="graph", copy=False)
    env.reset(seed=1)
    things = [env, solo, envs, solo.reset(seed=1), envs.reset(seed=1), env.observe("mr_x"), env.view("detective_1")]
    game = Game(board, seed=1)
    things += [game, game.view(MR_X), game.view(SPECTATOR), Batch(2, board, seed=1).views()]
    return [*things, *(make_policy(name) for name in policy_names())]


@pytest.mark.parametrize("copied", [list, copy.deepcopy, lambda things: pickle.loads(pickle.dumps(things))])
def test_no_vandal_changes_what_others_play_with(copied: Callable[[Any], Any]) -> None:
    board = Board.named("docklands")
    before = fingerprint(board)
    assert vandalise(copied(everything_at_hand())) > 60
    assert fingerprint(board) == before


def test_what_is_shared_cannot_be_written_to_nor_be_made_so() -> None:
    board, rules = Board.named("docklands"), RuleSet.named("docklands")
    unpickled = pickle.loads(pickle.dumps((board, rules, Encoder(board, rules, "graph"), Batch(1, board).views())))
    shared = [board, rules.packed(board), Encoder(board, rules, "graph").links, capture_times(board)]
    shared += [load_weights(str(DATA / "ppo_mr_x.npz")), make_weights(discount=0.8)]
    shared += [unpickled[0], unpickled[1].packed(unpickled[0]), unpickled[2].links, unpickled[3].rules.packed(board)]
    for array in arrays_in(shared, {}):
        assert not array.flags.writeable
        with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
            array.flags.writeable = True


def test_no_kernel_takes_a_shared_record_in_two_ways() -> None:
    from scotyard_env.lockstep import apply_rows, play_rows
    from scotyard_env.playing import play_if_legal

    for batch in (Batch(2, "docklands", seed=1), copy.deepcopy(Batch(2, "docklands", seed=1))):
        batch.play(batch.games, first_moves(batch))
    for kernel in (apply_rows, play_if_legal, play_rows):
        if hasattr(kernel, "signatures"):  # not where the compiler is off
            assert all(each.mutable is False for kinds in kernel.signatures for each in kinds[:2])


def first_moves(batch: Batch) -> np.ndarray:
    """Choose the first legal action of every game."""
    return np.array([Game.from_start(batch.board, batch.rules, state).legal[0] for state in batch.states])


# ---------------------------------------------------------------------------------------------------------- both sides


class Remembers:
    """Remembers where Mr. X stood, if it is told."""

    def __init__(self) -> None:
        self.seen: set[int] = set()
        self.asked = 0

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        assert view.viewer == MR_X or not self.seen, "it knows where he is"
        self.asked += 1
        if view.viewer == MR_X:
            self.seen.add(view.stations[MR_X])
        return Decision(view.legal[0])


@pytest.mark.parametrize(
    "play",
    [
        lambda one: play_match(one, one, board="docklands"),
        lambda one: play_games(one, one, 2, 1, "docklands"),
        lambda one: tournament(mr_x={"one": one}, detectives={"one": one}, games=1, board="docklands"),
    ],
)
def test_one_object_for_both_sides_shares_no_memory_between_them(play: Callable[[Any], Any]) -> None:
    one = Remembers()
    result = play(one)
    assert one.asked > 0
    assert one.seen
    assert not any(each.forfeit for each in getattr(result, "results", ()))


def test_one_that_cannot_be_copied_is_refused() -> None:
    one: Any = Remembers()
    one.lock = threading.Lock()
    with pytest.raises(PolicyError, match=r"plays both sides and cannot be copied \(TypeError: .*\): give each an own"):
        play_match(one, one, board="docklands")


# ----------------------------------------------------------------------------------------------------- illegal actions


@pytest.mark.parametrize("side", ["mr_x", "detectives"])
def test_many_games_raise_at_an_illegal_action_if_told_to_and_change_nothing(side: Any) -> None:
    envs = scotyard_env.make_vec(3, side=side, board="docklands", illegal="raise")
    arrays, _ = envs.reset(seed=1)
    actions, before = arrays["action_mask"].argmax(axis=1), envs.batch.states.tobytes()
    with pytest.raises(IllegalMoveError, match="game 1: -1 is not an action"):
        envs.step(np.where(np.arange(3) == 1, -1, actions))
    assert envs.batch.states.tobytes() == before
    assert "illegal_actions" not in envs.step(actions)[4]


def test_illegal_actions_are_counted_from_reset_to_reset_and_warned_of_once() -> None:
    envs = scotyard_env.make_vec(3, side="mr_x", board="docklands")
    arrays, _ = envs.reset(seed=1)
    with pytest.warns(UserWarning, match="said once, counted in illegal_actions"):
        arrays, *_ = envs.step(np.where(np.arange(3) == 1, -1, arrays["action_mask"].argmax(axis=1)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arrays, *_ = envs.step(np.where(np.arange(3) == 1, -1, arrays["action_mask"].argmax(axis=1)))
        *_, infos = envs.step(arrays["action_mask"].argmax(axis=1))
    assert infos["illegal_actions"].tolist() == [0, 2, 0]
    arrays, _ = envs.reset(seed=1)
    assert "illegal_actions" not in envs.step(arrays["action_mask"].argmax(axis=1))[4]


def test_a_batch_forfeits_or_raises() -> None:
    batch = Batch(2, "docklands", seed=1, illegal="terminate")
    with pytest.warns(UserWarning, match="game 1: -1 is not an action") as caught:
        winners = batch.step(np.array([first_moves(batch)[0], -1]))
    assert (winners.tolist(), batch.illegal_actions.tolist(), caught[0].filename) == ([0, 2], [0, 1], __file__)
    with pytest.raises(ValueError, match="illegal is 'ignore': choose from terminate, raise"):
        Batch(2, "docklands", illegal="ignore")  # type: ignore[arg-type]
