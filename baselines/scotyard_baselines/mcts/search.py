"""Monte-Carlo tree search on states with a hole: init, then select, expand, play out and backpropagate.

Every simulation places Mr. X on a possible station (determinization), unless he is the one who searches, selects by
UCT in the one tree that all of them share, expands it by one node, plays the game out and backpropagates who has won.
Nothing is allocated in here.
"""

from scotyard_baselines.beliefs.location_categories import draw_station, weigh_stations
from scotyard_baselines.mcts.playouts import play_out, record_action
from scotyard_baselines.mcts.selection import find_best_child, list_choices
from scotyard_baselines.mcts.tree import NO_NODE, is_settled, most_visited_child, write_node
from scotyard_env.kernel import kernel
from scotyard_env.rng import draw_below
from scotyard_env.rules import apply, is_taken, legal_actions
from scotyard_env.state import DETECTIVES_WIN, MR_X, MR_X_WINS, PLAYING, WORDS, add

AT_ONCE = 250  # simulations between two looks at the clock, or at whether any more can matter


@kernel
def search_rows(boards, rules, roots, seeds, iterations, tree, actions):
    """Search from each of some views in turn; write the action with the most visits."""
    for index in range(len(roots)):
        legal = legal_actions(boards[0], rules[0], roots[index], tree.scratch[0].legal)
        actions[index] = tree.scratch[0].legal[0]
        if legal > 1:
            init(boards, roots, index, seeds[index], tree)
            search_row(boards, rules, roots, index, iterations, tree)
            actions[index] = tree.nodes[most_visited_child(tree.nodes)].action


@kernel
def init(boards, roots, index, seed, tree):
    """Begin a tree for a view: a root without visits, and the stations where Mr. X may be."""
    parameters, scratch, root = tree.parameters[0], tree.scratch[0], roots[index]
    write_node(tree.nodes, 0, -1)
    scratch.nodes = 1
    scratch.rng_state[0] = seed
    scratch.searcher = root.seat
    tree.playout_parameters[0].kind = tree.playout_parameters[0].kinds[0 if root.seat == MR_X else 1]
    if parameters.history > 0.0:
        scratch.history_rewards[:] = 0.0
        scratch.history_visits[:] = 0.0
    for word in range(WORDS):
        scratch.possible[word] = root.possible[word]
    if parameters.is_possible_ignored and (root.entries == 0 or root.seen_entry < root.entries):
        add_all_free(boards[0], root, scratch.possible)
    scratch.station_count = weigh_stations(
        boards[0], root, scratch.possible, parameters.weights, scratch.stations, scratch.cumulative
    )


@kernel
def add_all_free(board, state, possible):
    """Take it that Mr. X may be wherever no detective stands."""
    for station in range(1, board.stations + 1):
        if not is_taken(state, station):
            add(possible, station)


@kernel
def search_row(boards, rules, roots, index, iterations, tree):
    """Add so many simulations to a tree, or as many of them as can change the decision."""
    if not tree.parameters[0].stops_early:
        simulate(boards, rules, roots, index, iterations, tree)
        return
    done = 0
    while done < iterations and not is_settled(tree.nodes, iterations - done):
        some = min(AT_ONCE, iterations - done)
        simulate(boards, rules, roots, index, some, tree)
        done += some


@kernel
def simulate(boards, rules, roots, index, iterations, tree):
    """Add so many simulations to a tree."""
    board, rule, scratch, state = boards[0], rules[0], tree.scratch[0], tree.states[0]
    for _ in range(iterations):
        tree.states[0] = roots[index]
        for word in range(WORDS):
            state.possible[word] = scratch.possible[word]
        if scratch.searcher != MR_X:
            state.station[MR_X] = draw_station(
                scratch.stations, scratch.cumulative, scratch.station_count, scratch.rng_state
            )
        tree.playout_scratch[0].recorded = 0
        select(board, rule, state, tree)
        play_out(board, rule, state, tree.playout_parameters[0], tree.playout_scratch[0], scratch.rng_state)
        backpropagate(state, tree)


@kernel
def select(board, rules, state, tree):
    """Play from the root down to a node that is new, or to the end of the game."""
    nodes, scratch = tree.nodes, tree.scratch[0]
    scratch.path[0] = 0
    scratch.length = 1
    is_new = False
    while state.winner == PLAYING and not is_new:
        node = nodes[scratch.path[scratch.length - 1]]
        legal = list_choices(board, rules, state, tree.playout_parameters[0], scratch.legal)
        child = find_best_child(node, nodes, state.seat, legal, tree.parameters[0], scratch)
        if child == NO_NODE:
            if scratch.nodes == len(nodes):
                return  # no room: play out from here
            child = expand(node, nodes, legal, scratch)
            is_new = True
        scratch.path[scratch.length] = child
        scratch.movers[scratch.length] = state.seat
        scratch.length += 1
        if tree.playout_parameters[0].is_recorded:
            record_action(state, nodes[child].action, tree.playout_scratch[0])
        apply(board, rules, state, nodes[child].action)


@kernel
def expand(node, nodes, legal, scratch):
    """Add a child for one of the legal actions that are unexpanded, drawn at random; return it."""
    fresh = 0
    for index in range(legal):
        if scratch.unexpanded[scratch.legal[index]] == scratch.stamp:
            scratch.legal[fresh] = scratch.legal[index]
            fresh += 1
    child = scratch.nodes
    scratch.nodes += 1
    write_node(nodes, child, scratch.legal[draw_below(scratch.rng_state, fresh)])
    nodes[child].sibling = node.child
    node.child = child
    return child


@kernel
def backpropagate(state, tree):
    """Add the rewards of a finished game to the nodes on the path, and to the history of the actions played."""
    nodes, scratch, played = tree.nodes, tree.scratch[0], tree.playout_scratch[0]
    reduction, searcher = tree.parameters[0].reduction, scratch.searcher
    nodes[0].visits += 1
    rewards = reward_of(state, MR_X, reduction, searcher), reward_of(state, 1, reduction, searcher)
    for depth in range(1, scratch.length):
        node = nodes[scratch.path[depth]]
        node.visits += 1
        node.reward += rewards[0 if scratch.movers[depth] == MR_X else 1]
    for index in range(played.recorded):
        seat, action = played.seats[index], played.actions[index]
        scratch.history_visits[seat, action] += 1.0
        scratch.history_rewards[seat, action] += rewards[0 if seat == MR_X else 1]


@kernel
def reward_of(state, seat, reduction, searcher):
    """Return a seat's reward: 1 for winning, 0 for losing.

    Coalition reduction: a detective who searches gets r less where the catch is not its own.
    """
    if seat == MR_X:
        return 1.0 if state.winner == MR_X_WINS else 0.0
    if state.winner != DETECTIVES_WIN:
        return 0.0
    is_own = state.seat == searcher  # who catches him is still to move; after a stuck Mr. X it is his turn
    return 1.0 if is_own or searcher == MR_X else 1.0 - reduction
