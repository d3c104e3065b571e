"""Agents that come with colbench-gym. They are found through the entry-point group `colbench.agents`, as anyone's."""
