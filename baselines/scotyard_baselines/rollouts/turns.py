"""The turns of Mr. X that a search compares: of one move, or a double with both its moves; what each costs him."""

from scotyard_env.kernel import kernel, record_type
from scotyard_env.rules import apply, destination, double_action, fare_of, legal_actions
from scotyard_env.state import BLACK
from scotyard_env.threats import is_threatened

MAX_TURNS = 1024
NO_ACTION = -1

TURN = record_type(
    [
        ("total", "f8"),  # value of all rollouts
        ("cost", "f8"),  # of the tickets it spends
        ("actions", "i8", (3,)),  # NO_ACTION where there are fewer
        ("steps", "i8"),  # how many of them
        ("visits", "i8"),
    ]
)


@kernel
def list_turns(board, rules, states, index, scratch):
    """List every turn of Mr. X in scratch.turns, single moves first; return how many those are, and how many in all."""
    count = 0
    double = double_action(board)
    moves = legal_actions(board, rules, states[index], scratch.legal[0])
    for move in range(moves):
        if scratch.legal[0, move] != double and states[index].owed != 2:
            write_turn(scratch, count, scratch.legal[0, move], NO_ACTION, NO_ACTION)
            count += 1
    singles = count
    if moves > 0 and scratch.legal[0, moves - 1] == double:
        scratch.states[1] = states[index]
        apply(board, rules, scratch.states[1], double)
        count = list_pairs(board, rules, scratch, count, double)
    elif states[index].owed == 2:
        scratch.states[1] = states[index]
        count = list_pairs(board, rules, scratch, count, NO_ACTION)
    return singles, count


@kernel
def list_pairs(board, rules, scratch, count, double):
    """List the pairs of moves of a double announced in scratch.states[1]; only those that end in safety, if any do."""
    before = count
    for is_safe_only in (True, False):
        firsts = legal_actions(board, rules, scratch.states[1], scratch.legal[1])
        for first in range(firsts):
            scratch.states[2] = scratch.states[1]
            apply(board, rules, scratch.states[2], scratch.legal[1, first])
            seconds = legal_actions(board, rules, scratch.states[2], scratch.legal[2])
            for second in range(seconds):
                to = destination(scratch.legal[2, second])
                if count < MAX_TURNS and not (is_safe_only and is_threatened(board, scratch.states[2], to)):
                    if double >= 0:
                        write_turn(scratch, count, double, scratch.legal[1, first], scratch.legal[2, second])
                    else:
                        write_turn(scratch, count, scratch.legal[1, first], scratch.legal[2, second], NO_ACTION)
                    count += 1
        if count > before:
            break
    return count


@kernel
def write_turn(scratch, place, first, second, third):
    """Write a turn: its actions and its cost."""
    turn, parameters = scratch.turns[place], scratch.parameters[0]
    turn.actions[0], turn.actions[1], turn.actions[2] = first, second, third
    turn.total = 0.0
    turn.visits = 0
    turn.steps = 1 if second < 0 else 2 if third < 0 else 3
    turn.cost = parameters.double_cost if third >= 0 else 0.0
    for step in range(1 if third >= 0 else 0, turn.steps):
        if fare_of(turn.actions[step]) == BLACK:
            turn.cost += parameters.black_cost


@kernel
def mean_value(turn):
    """Return the mean value of a turn's rollouts, less its cost."""
    return turn.total / turn.visits - turn.cost
