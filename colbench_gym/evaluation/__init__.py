"""From run directories to figures."""

from colbench_gym.evaluation.metrics import Interval, summarize, wilson

__all__ = ["Interval", "summarize", "wilson"]
