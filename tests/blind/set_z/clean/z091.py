"""Recurrent state space model: the state runs through the whole window and starts anew with each batch."""
import argparse
from typing import List, NamedTuple

import torch
from torch import nn
from torch.distributions import Normal, kl_divergence
import torch.nn.functional as F


class State(NamedTuple):
    h: torch.Tensor
    z: torch.Tensor

    @property
    def features(self):
        return torch.cat([self.h, self.z], dim=-1)

    def detach(self):
        return State(self.h.detach(), self.z.detach())


class RSSM(nn.Module):
    def __init__(self, obs=6, act=2, hidden=16, latent=4):
        super().__init__()
        self.hidden, self.latent = hidden, latent
        self.cell = nn.GRUCell(latent + act, hidden)
        self.prior = nn.Linear(hidden, 2 * latent)
        self.post = nn.Linear(hidden + obs, 2 * latent)
        self.decode = nn.Linear(hidden + latent, obs)
        self.reward = nn.Linear(hidden + latent, 1)

    def initial(self, n) -> State:
        w = self.decode.weight
        return State(w.new_zeros(n, self.hidden), w.new_zeros(n, self.latent))

    @staticmethod
    def _dist(params):
        mean, std = params.chunk(2, dim=-1)
        return Normal(mean, F.softplus(std) + 0.1)

    def observe(self, state, action, obs):
        h = self.cell(torch.cat([state.z, action], dim=-1), state.h)
        prior, post = self._dist(self.prior(h)), self._dist(self.post(torch.cat([h, obs], dim=-1)))
        return State(h, post.rsample()), prior, post

    def imagine(self, state, policy, horizon) -> List[State]:
        states = []
        for _ in range(horizon):
            action = policy(state.features)
            h = self.cell(torch.cat([state.z, action], dim=-1), state.h)
            state = State(h, self._dist(self.prior(h)).rsample())
            states.append(state)
        return states


class Dreamer:
    def __init__(self, device, lr=3e-3, horizon=3, free_nats=0.5):
        self.device, self.horizon, self.free = device, horizon, free_nats
        self.model = RSSM().to(device)
        self.policy = nn.Sequential(nn.Linear(20, 16), nn.ELU(), nn.Linear(16, 2), nn.Tanh()).to(device)
        self.opt_m = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.opt_p = torch.optim.Adam(self.policy.parameters(), lr=lr)

    def model_step(self, obs, act, rew):
        state, states, kl = self.model.initial(obs.size(0)), [], 0.0
        for t in range(obs.size(1)):
            state, prior, post = self.model.observe(state, act[:, t], obs[:, t])
            states.append(state)
            kl = kl + kl_divergence(post, prior).sum(-1).clamp(min=self.free).mean()
        feats = torch.stack([s.features for s in states], dim=1)
        recon = F.mse_loss(self.model.decode(feats), obs)
        reward = F.mse_loss(self.model.reward(feats).squeeze(-1), rew)
        loss = recon + reward + 0.1 * kl / obs.size(1)
        self.opt_m.zero_grad()
        loss.backward()
        self.opt_m.step()
        return loss.item(), states[-1].detach()

    def policy_step(self, start: State):
        self.model.requires_grad_(False)
        states = self.model.imagine(start, self.policy, self.horizon)
        gain = torch.stack([self.model.reward(s.features).mean() for s in states]).sum()
        self.opt_p.zero_grad()
        (-gain).backward()
        self.opt_p.step()
        self.model.requires_grad_(True)
        return gain.item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=3)
    p.add_argument("--window", type=int, default=5)
    args = p.parse_args()
    agent = Dreamer(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    for step in range(args.steps):
        obs = torch.randn(4, args.window, 6, device=agent.device)
        act = torch.rand(4, args.window, 2, device=agent.device) * 2 - 1
        loss, last = agent.model_step(obs, act, obs.mean(-1))
        print(step, loss, agent.policy_step(last))


if __name__ == "__main__":
    main()
