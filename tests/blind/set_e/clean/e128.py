import random

import torch
from torch import nn


class Episode:
    def __init__(self):
        self.obs, self.act, self.rew = [], [], []

    def __len__(self):
        return len(self.rew)

    def append(self, o, a, r):
        self.obs.append(o)
        self.act.append(a)
        self.rew.append(r)

    def window(self, n):
        i = random.randint(0, len(self) - n - 1)
        return (
            torch.stack(self.obs[i : i + n + 1]),
            torch.tensor(self.act[i : i + n]),
            torch.tensor(self.rew[i : i + n]),
        )


class DRQN(nn.Module):
    def __init__(self, d=3, h=8, a=2):
        super().__init__()
        self.rnn, self.q, self.h = nn.LSTMCell(d, h), nn.Linear(h, a), h

    def forward(self, o, state=None):
        if state is None:
            z = torch.zeros(o.size(0), self.h, device=o.device, dtype=o.dtype)
            state = (z, z)
        state = self.rnn(o, state)
        return self.q(state[0]), state


def unroll(net, obs):
    qs, state = [], None
    for o in obs:
        q, state = net(o, state)
        qs.append(q)
    return torch.stack(qs)


def learn(net, target, optimizer, episodes, device, n=4, gamma=0.9):
    obs, act, rew = (torch.stack(t, 1).to(device) for t in zip(*[e.window(n) for e in episodes]))
    q = unroll(net, obs[:-1]).gather(-1, act.unsqueeze(-1)).squeeze(-1)
    with torch.no_grad():
        y = rew + gamma * unroll(target, obs)[1:].max(-1).values
    loss = nn.functional.smooth_l1_loss(q, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def play(net, device, steps=8):
    ep, state, o = Episode(), None, torch.randn(3)
    with torch.no_grad():
        for _ in range(steps):
            q, state = net(o.unsqueeze(0).to(device), state)
            a = int(q.argmax())
            ep.append(o, a, float(o[a]))
            o = torch.randn(3)
    return ep


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net, target = DRQN().to(device), DRQN().to(device)
    optimizer = torch.optim.Adam(net.parameters())
    memory = [play(net, device) for _ in range(3)]
    for step in range(3):
        if step % 2 == 0:
            target.load_state_dict(net.state_dict())
        print(learn(net, target, optimizer, random.sample(memory, 2), device))


if __name__ == "__main__":
    main()
