"""Room for the training baselines (rejection fine-tuning, multi-turn DPO, SWEET-RL), one file an algorithm.

A baseline, ours or a third party's, announces itself through the entry-point group `colbench.baselines`.
"""
