"""The kernels behind a batch: loops over the records of many games, picked by their numbers."""

from scotyard_env.kernel import kernel
from scotyard_env.rules import apply, deal, is_legal
from scotyard_env.state import MR_X, PLAYING

ALL_LEGAL = -1


@kernel
def are_games(games, seen):
    """Return whether all these numbers are there and none comes twice; seen has room for all games and stays blank."""
    checked = 0
    while checked < len(games) and 0 <= games[checked] < len(seen) and not seen[games[checked]]:
        seen[games[checked]] = True
        checked += 1
    for index in range(checked):
        seen[games[index]] = False
    return checked == len(games)


@kernel
def deal_rows(boards, rules, states, games, draws):
    """Deal some games."""
    for index in range(len(games)):
        deal(boards[0], rules[0], states[games[index]], draws[index])


@kernel
def first_illegal(boards, rules, states, games, actions):
    """Return the index of the first action that is not legal in its game, or ALL_LEGAL."""
    for index in range(len(games)):
        if not is_legal(boards[0], rules[0], states[games[index]], actions[index]):
            return index
    return ALL_LEGAL


@kernel
def play_rows(boards, rules, states, games, actions):
    """Play one action in each of some games if all are legal; return the index of the first that is not, or ALL_LEGAL.

    Where one is not legal nothing is played.
    """
    wrong = first_illegal(boards, rules, states, games, actions)
    if wrong == ALL_LEGAL:
        apply_rows(boards, rules, states, games, actions)
    return wrong


@kernel
def apply_rows(boards, rules, states, games, actions):
    """Carry out a legal action in each of some games."""
    for index in range(len(games)):
        apply(boards[0], rules[0], states[games[index]], actions[index])


@kernel
def submit_rows(boards, rules, states, games, actions, legal):
    """Play those actions that are legal and write which are; return how many are not."""
    wrong = 0
    for index in range(len(games)):
        state = states[games[index]]
        legal[index] = is_legal(boards[0], rules[0], state, actions[index])
        if legal[index]:
            apply(boards[0], rules[0], state, actions[index])
        else:
            wrong += 1
    return wrong


@kernel
def judge_rows(boards, rules, states, games, actions, legal):
    """Write of some games whether their actions are legal."""
    for index in range(len(games)):
        legal[index] = is_legal(boards[0], rules[0], states[games[index]], actions[index])


@kernel
def list_over(states, games, found):
    """List those of some games that are over; return how many."""
    size = 0
    for game in games:
        if states[game].winner != PLAYING:
            found[size] = game
            size += 1
    return size


@kernel
def sort_out(states, games, for_mr_x, over, waiting):
    """List those of some games that are over, and those that wait for Mr. X, or for a detective; return how many."""
    ended, playing = 0, 0
    for game in games:
        if states[game].winner != PLAYING:
            over[ended] = game
            ended += 1
        elif (states[game].seat == MR_X) == for_mr_x:
            waiting[playing] = game
            playing += 1
    return ended, playing
