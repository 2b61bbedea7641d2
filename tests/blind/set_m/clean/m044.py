import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self, n_obs=6, n_act=2):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_obs, 24), nn.Tanh())
        self.mean = nn.Linear(24, n_act)
        self.value = nn.Linear(24, 1)

    def forward(self, obs):
        obs = obs.to(self.mean.weight.device)
        h = self.body(obs)
        return self.mean(h).tanh(), self.value(h).squeeze(-1)


class PointEnv:
    def __init__(self, n=8):
        self.n = n

    def reset(self):
        self.pos = torch.randn(self.n, 2)
        return self._obs()

    def _obs(self):
        return torch.cat([self.pos, self.pos.square(), self.pos.abs()], dim=1)

    def step(self, action):
        self.pos = self.pos + 0.1 * action
        return self._obs(), -self.pos.norm(dim=1)


@torch.no_grad()
def rollout(policy, env, horizon=10):
    obs, ret = env.reset(), torch.zeros(env.n)
    for _ in range(horizon):
        action, _ = policy(obs)
        obs, reward = env.step(action.cpu())
        ret += reward
    return ret.mean().item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
policy = Policy().to(device).eval()
print("return", rollout(policy, PointEnv()))
