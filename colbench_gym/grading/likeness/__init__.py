"""How alike two rendered pages look: the measures behind `colbench_gym.grading.similarity`."""
