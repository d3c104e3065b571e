"""The environments. Make them with `gymnasium.make`; the ids are in `colbench_gym.registration`."""
