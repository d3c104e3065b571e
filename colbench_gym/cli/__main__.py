from colbench_gym.cli import main

main()
