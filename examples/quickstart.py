"""One episode by hand: ask, listen, answer."""

import gymnasium as gym

import colbench_gym  # registers the ids

env = gym.make("ColBench-Backend-v0")
obs, info = env.reset(seed=0)
print(obs)
obs, reward, terminated, truncated, info = env.step("What should I know about rounding?")
print(info["messages"][-1]["content"])
obs, reward, terminated, truncated, info = env.step("I WANT TO ANSWER:\ndef f(*args):\n    return None")
print(f"reward {reward}, {info['tests_passed']} of {info['tests_total']} tests passed")
print(f"({colbench_gym.__version__}, isolation {info['isolation']})")
