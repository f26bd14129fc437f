"""Gymnasium: one game by ``gymnasium.make``, many by ``make_vec``, with Gymnasium's own wrappers around them.

python examples/gymnasium_games.py --games 64
"""

import argparse

import gymnasium
import numpy as np

import scotyard_env  # it makes ScotlandYard-v0 known to Gymnasium

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--board", default="london")
parser.add_argument("--games", type=int, default=64)
parser.add_argument("--steps", type=int, default=200, help="decisions in each of them")
args = parser.parse_args()

# One game after the other. The mask of legal actions is in the observation; a space draws from it.
env = gymnasium.make(scotyard_env.SOLO_ID, side="mr_x", opponent="greedy", board=args.board)
env = gymnasium.wrappers.RecordEpisodeStatistics(env)
observation, info = env.reset(seed=7)
env.action_space.seed(7)
done = False
while not done:
    action = env.action_space.sample(observation["action_mask"])
    observation, reward, terminated, truncated, info = env.step(action)
    done = terminated or truncated
episode = info["episode"]
print(f"one game: {info['winner']} won after {episode['l']} decisions of Mr. X, whose return is {episode['r']}")

# Many games in one process, stepped in compiled loops; each draws its opponent from a weighted pool when it is dealt.
envs = scotyard_env.make_vec(args.games, side="detectives", opponent={"random": 1, "greedy": 2}, board=args.board)
envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
observations, infos = envs.reset(seed=7)
rng = np.random.default_rng(7)
won = played = 0
for _ in range(args.steps):
    masks = observations["action_mask"]
    actions = (masks * rng.random(masks.shape)).argmax(axis=1)  # a legal one at random: here your network decides
    observations, rewards, terminations, truncations, infos = envs.step(actions)
    played += terminations.sum()
    won += (rewards > 0).sum()
print(f"many games: {played} were over, and detectives who play at random won {won} of them")
