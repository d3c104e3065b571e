"""From run directories to figures."""

from colbench_gym.evaluation.metrics import Interval, mean_interval, summarize, wilson

__all__ = ["Interval", "mean_interval", "summarize", "wilson"]
