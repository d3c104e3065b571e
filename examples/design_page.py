"""One Frontend episode by hand: propose a page, listen, improve it, hand it in.

Needs the extra `frontend` and a browser (`colbench setup`), no network and no torch.
"""

from pathlib import Path

import gymnasium as gym
from PIL import Image

import colbench_gym  # noqa: F401  (registers the ids)

PAGE = """<html>
<link href="https://cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css" rel="stylesheet">
<body class="bg-white">
  <header class="bg-{colour}-500 text-white p-6"><h1 class="text-3xl font-bold">Welcome</h1></header>
  <main class="p-6"><p>Something about us.</p></main>
</body>
</html>"""

env = gym.make("ColBench-Frontend-v0", similarity="visual", render_mode="rgb_array")
obs, info = env.reset(seed=0)
print(obs, "\n")
obs, reward, terminated, truncated, info = env.step(f"How about this?\n{PAGE.format(colour='blue')}")
print("The person says:", info["messages"][-1]["content"], "\n")
picture = Path("runs/design_page.png")
picture.parent.mkdir(exist_ok=True)
Image.fromarray(env.render()).save(picture)
obs, reward, terminated, truncated, info = env.step(f"I WANT TO ANSWER:\n{PAGE.format(colour='green')}")
print(f"similarity {reward:.3f}, measured by {info['grade']['measure']} on {info['grade']['renderer']}")
print(f"The first page, as the person saw it: {picture}")
