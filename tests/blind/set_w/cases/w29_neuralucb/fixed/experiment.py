import argparse
import torch
from env import ClickEnv
from policy import NeuralUCB

if __name__ == "__main__":
    cli = argparse.ArgumentParser()
    cli.add_argument("--rounds", type=int, default=50)
    cli.add_argument("--device", default=None)
    opts = cli.parse_args()
    device = torch.device(opts.device or ("cuda" if torch.cuda.is_available() else "cpu"))
    env, agent, total = ClickEnv(), NeuralUCB(12, device), 0.0
    for _ in range(opts.rounds):
        arms = env.observe().to(device)
        k = agent.choose(arms)
        r = env.pull(arms[k])
        agent.learn(arms[k], r)
        total += r
    print("reward", total)
