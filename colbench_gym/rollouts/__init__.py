"""Playing episodes and keeping them."""

from colbench_gym.rollouts.agents import make_agent
from colbench_gym.rollouts.collect import Collected, RunStopped, collect
from colbench_gym.rollouts.episodes import EpisodeStore, read_episodes
from colbench_gym.rollouts.foresight import foresee
from colbench_gym.rollouts.playing import EpisodeInPlay, Run, RunConfig

__all__ = [
    "Collected",
    "EpisodeInPlay",
    "EpisodeStore",
    "Run",
    "RunConfig",
    "RunStopped",
    "collect",
    "foresee",
    "make_agent",
    "read_episodes",
]
