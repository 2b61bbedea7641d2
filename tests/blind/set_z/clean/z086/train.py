import argparse
import copy

import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

from replay import PrioritizedReplay


class QNet(nn.Module):
    def __init__(self, obs=3, actions=2):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs, 24), nn.ReLU(), nn.Linear(24, actions))

    def forward(self, x):
        return self.net(x)


class Learner:
    def __init__(self, device, lr=1e-3, gamma=0.9, sync=3):
        self.device, self.gamma, self.sync = device, gamma, sync
        self.online = QNet().to(device)
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.opt = torch.optim.Adam(self.online.parameters(), lr=lr)
        self.updates = 0

    def update(self, memory, k):
        b = memory.sample(k, self.device)
        q = self.online(b.obs).gather(1, b.action[:, None]).squeeze(1)
        with torch.no_grad():
            y = b.reward + self.gamma * self.target(b.next_obs).amax(1)
        td = y - q
        loss = (b.weight * F.smooth_l1_loss(q, y, reduction="none")).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        memory.set_priority(b.index, td.detach().abs().cpu().numpy())
        self.updates += 1
        if self.updates % self.sync == 0:
            self.target.load_state_dict(self.online.state_dict())
        return loss.item()

    @torch.no_grad()
    def greedy(self, obs):
        return self.online(torch.from_numpy(obs).to(self.device)).argmax(-1).item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=24)
    p.add_argument("--batch-size", type=int, default=8)
    args = p.parse_args()
    rng = np.random.default_rng(1)
    learner = Learner(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    memory, obs, losses = PrioritizedReplay(64, 3), rng.standard_normal(3).astype(np.float32), []
    for t in range(args.steps):
        action = learner.greedy(obs) if rng.random() > 0.3 else int(rng.integers(2))
        nxt = (0.8 * obs + 0.3 * rng.standard_normal(3)).astype(np.float32)
        memory.add(obs, action, float(obs[action]), nxt)
        obs = nxt
        if len(memory) >= 16:
            losses.append(learner.update(memory, args.batch_size))
    print(np.mean(losses), memory.priority[:4])


if __name__ == "__main__":
    main()
