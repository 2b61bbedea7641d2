import copy

import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self, obs=4, act=2):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 16), nn.Tanh())
        self.pi = nn.Linear(16, act)

    def forward(self, obs):
        return torch.log_softmax(self.pi(self.body(obs)), -1)


class Env:
    def reset(self):
        self.t = 0
        return torch.randn(4)

    def step(self, action):
        self.t += 1
        return torch.randn(4), float(action == 1), self.t >= 5


def rollout(actor, env):
    obs, done, traj = env.reset(), False, []
    while not done:
        with torch.no_grad():
            a = actor(obs).exp().multinomial(1).item()
        nxt, r, done = env.step(a)
        traj.append((obs, a, r))
        obs = nxt
    return traj


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
learner = Policy().to(device)
actor = copy.deepcopy(learner).to("cpu")
opt = torch.optim.Adam(learner.parameters(), lr=1e-3)
env = Env()
for it in range(3):
    obs, act, rew = zip(*rollout(actor, env))
    obs = torch.stack(obs).to(device)
    act = torch.tensor(act, device=device)
    rew = torch.tensor(rew, device=device)
    logp = learner(obs).gather(1, act[:, None]).squeeze(1)
    loss = -(logp * (rew - rew.mean())).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    actor.load_state_dict(learner.state_dict())

learner.cpu().eval()
with torch.no_grad():
    print(learner(torch.zeros(1, 4)).exp())
