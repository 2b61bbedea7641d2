import copy

import torch
from torch import nn

from replay import PrioritisedReplay


class Dueling(nn.Module):
    def __init__(self, obs=4, actions=3):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 24), nn.ReLU())
        self.value, self.adv = nn.Linear(24, 1), nn.Linear(24, actions)

    def forward(self, s):
        h = self.body(s)
        a = self.adv(h)
        return self.value(h) + a - a.mean(dim=1, keepdim=True)


class Learner:
    def __init__(self, device, gamma=0.97, sync_every=3):
        self.online = Dueling().to(device)
        self.target = copy.deepcopy(self.online).eval()
        self.opt = torch.optim.Adam(self.online.parameters(), lr=1e-3)
        self.gamma, self.sync_every, self.steps = gamma, sync_every, 0

    @torch.no_grad()
    def bootstrap(self, r, s2):
        best = self.online(s2).argmax(dim=1, keepdim=True)
        return r + self.gamma * self.target(s2).gather(1, best).squeeze(1)

    def learn(self, memory, n=16):
        idx, (s, a, r, s2), weight = memory.sample(n)
        q = self.online(s).gather(1, a.unsqueeze(1)).squeeze(1)
        td = self.bootstrap(r, s2) - q
        loss = (weight * nn.functional.huber_loss(td, torch.zeros_like(td), reduction="none")).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        memory.update(idx, td.detach())
        self.steps += 1
        if self.steps % self.sync_every == 0:
            self.target.load_state_dict(self.online.state_dict())


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    learner, memory = Learner(device), PrioritisedReplay(100, 4, device)
    for _ in range(7):
        learner.learn(memory)
