"""Playing episodes and keeping them."""

from colbench_gym.rollouts.agents import make_agent
from colbench_gym.rollouts.collect import RunConfig, evaluate, play
from colbench_gym.rollouts.episodes import EpisodeStore, read_episodes

__all__ = ["EpisodeStore", "RunConfig", "evaluate", "make_agent", "play", "read_episodes"]
