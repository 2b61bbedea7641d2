from contextlib import contextmanager
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class State(NamedTuple):
    h: torch.Tensor
    z: torch.Tensor

    def detach(self):
        return State(*(t.detach() for t in self))

    def flat(self):
        return torch.cat(self, -1)


class World(nn.Module):
    def __init__(self, obs=4, act=2, h=16, z=6):
        super().__init__()
        self.z, self.hsize = z, h
        self.cell = nn.GRUCell(z + act, h)
        self.prior, self.post = nn.Linear(h, 2 * z), nn.Linear(h + obs, 2 * z)
        self.decode, self.reward = nn.Linear(h + z, obs), nn.Linear(h + z, 1)

    def initial(self, n):
        w = self.prior.weight
        return State(w.new_zeros(n, self.hsize), w.new_zeros(n, self.z))

    @staticmethod
    def dist(stats):
        mu, s = stats.chunk(2, -1)
        return torch.distributions.Normal(mu, F.softplus(s) + 0.1)

    def imagine(self, s, a):
        h = self.cell(torch.cat([s.z, a], -1), s.h)
        p = self.dist(self.prior(h))
        return State(h, p.rsample()), p

    def observe(self, s, a, o):
        nxt, p = self.imagine(s, a)
        q = self.dist(self.post(torch.cat([nxt.h, o], -1)))
        return State(nxt.h, q.rsample()), p, q


@contextmanager
def frozen(*mods):
    ps = [p for m in mods for p in m.parameters() if p.requires_grad]
    for p in ps:
        p.requires_grad_(False)
    try:
        yield
    finally:
        for p in ps:
            p.requires_grad_(True)


def main():
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    world = World().to(dev)
    actor, critic = nn.Linear(22, 2).to(dev), nn.Linear(22, 1).to(dev)
    opts = [torch.optim.Adam(m.parameters(), lr=3e-3) for m in (world, actor, critic)]
    for it in range(4):
        obs, act, rew = torch.randn(6, 8, 4), torch.rand(6, 8, 2) * 2 - 1, torch.randn(6, 8, 1)
        s, starts, loss = world.initial(8), [], 0.0
        for o, a, r in zip(obs.to(dev), act.to(dev), rew.to(dev)):
            s, p, q = world.observe(s, a, o)
            f = s.flat()
            loss = loss + F.mse_loss(world.decode(f), o) + F.mse_loss(world.reward(f), r)
            loss = loss + torch.distributions.kl_divergence(q, p).sum(-1).mean().clamp(min=1.0)
            starts.append(s.detach())
        opts[0].zero_grad()
        loss.backward()
        opts[0].step()

        s = State(*(torch.cat(t) for t in zip(*starts)))
        with frozen(world, critic):
            feats, rewards = [], []
            for _ in range(4):
                s, _ = world.imagine(s, torch.tanh(actor(s.flat())))
                feats.append(s.flat())
                rewards.append(world.reward(s.flat()))
            ret, targets = critic(feats[-1]), []
            for r in reversed(rewards):
                ret = r + 0.95 * ret
                targets.insert(0, ret)
            actor_loss = -torch.stack(targets).mean()
        opts[1].zero_grad()
        actor_loss.backward()
        opts[1].step()
        v_loss = F.mse_loss(critic(torch.stack(feats).detach()), torch.stack(targets).detach())
        opts[2].zero_grad()
        v_loss.backward()
        opts[2].step()
    print(loss.item(), actor_loss.item(), v_loss.item())


main()
