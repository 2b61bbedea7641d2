import argparse

import torch
import torch.nn.functional as F

from marl.critic import CentralCritic
from marl.storage import EpisodeStore
from marl.targets import lambda_returns, normalize


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--agents", type=int, default=3)
    p.add_argument("--masks", action="store_true", help="episodes of unequal length")
    p.add_argument("--iters", type=int, default=3)
    return p.parse_args()


def play(args, store, horizon=8):
    for t in range(horizon):
        acts = F.one_hot(torch.randint(0, 2, (4, args.agents)), 2).float()
        obs = torch.randn(4, args.agents, 5)
        row = {"joint": torch.cat([obs, acts], -1).flatten(1), "reward": acts[..., 0].sum(1)}
        store.add(mask=torch.tensor([t < 8, t < 6, t < 7, t < 5]).float(), **row)


def main():
    args = parse()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    critic = CentralCritic(args.agents, 5, 2).to(device)
    opt = torch.optim.RMSprop(critic.parameters(), lr=5e-4, alpha=0.99)
    for it in range(args.iters):
        store = EpisodeStore(args.masks)
        play(args, store)
        batch = store.batch(device)
        values = critic(batch["joint"]).mean(-1)
        with torch.no_grad():
            padded = torch.cat([values, values[-1:]])
            target = normalize(lambda_returns(batch["reward"], padded), batch.get("mask"))
        loss = F.smooth_l1_loss(values, target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(it, loss.item())


main()
