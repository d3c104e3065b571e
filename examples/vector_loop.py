"""A vector loop of your own: four environments side by side, an agent that answers all of them."""

import gymnasium as gym
import numpy as np

import colbench_gym  # noqa: F401  (registers the ids)
from colbench_agents.scripted import Ask

agent = Ask(questions=9)
envs = gym.make_vec("ColBench-Backend-v0", num_envs=4, tasks="embedded-backend:test")
observations, infos = envs.reset(seed=0)
finished, failed, solved = 0, 0, 0
while finished < 12:
    # `infos["messages"]` holds one list of chat messages a slot.
    actions = [agent.act(messages).text for messages in infos["messages"]]
    observations, rewards, terminated, truncated, infos = envs.step(actions)
    # With Gymnasium's default autoreset the step after the end resets that slot and ignores its action.
    finished += int(np.sum(terminated))
    failed += int(np.sum(truncated))  # A user or grader that failed: nobody's result.
    solved += int(np.sum(rewards))
envs.close()
print(f"{solved} of {finished} episodes solved, {failed} failed")
