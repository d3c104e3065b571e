"""Tasks: the embedded generators, the official files, and your own."""

from colbench_gym.tasks.load import ListedTasks, TaskSet, load_tasks, task_set_names

__all__ = ["ListedTasks", "TaskSet", "load_tasks", "task_set_names"]
