import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden=32):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(obs_dim, hidden), nn.Tanh())
        self.mu = nn.Linear(hidden, act_dim)
        self.log_std = nn.Parameter(torch.zeros(act_dim))
        self.value = nn.Linear(hidden, 1)

    def forward(self, obs):
        h = self.shared(obs)
        return Normal(self.mu(h), self.log_std.exp()), self.value(h).squeeze(-1)


class PointMass:
    def __init__(self, n_envs):
        self.n = n_envs

    def reset(self):
        self.x = torch.randn(self.n, 2)
        return self.x.clone()

    def step(self, action):
        self.x = self.x + 0.1 * action.clamp(-1, 1)
        reward = -self.x.norm(dim=1)
        done = (self.x.norm(dim=1) < 0.1).float()
        return self.x.clone(), reward, done


def one_step_update(model, opt, obs, env, gamma=0.95, ent_coef=1e-3):
    dist, value = model(obs)
    action = dist.sample()
    next_obs, reward, done = env.step(action)
    with torch.no_grad():
        _, next_value = model(next_obs)
    target = reward + gamma * (1 - done) * next_value
    value_loss = F.mse_loss(value, target)
    advantage = (target - value).detach()
    logp = dist.log_prob(action).sum(-1)
    policy_loss = -(logp * advantage).mean()
    loss = policy_loss + 0.5 * value_loss - ent_coef * dist.entropy().mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    opt.step()
    return next_obs, reward.mean().item()


def main():
    torch.manual_seed(0)
    env = PointMass(8)
    model = ActorCritic(2, 2)
    opt = torch.optim.Adam(model.parameters(), lr=3e-4)
    obs = env.reset()
    for t in range(20):
        obs, r = one_step_update(model, opt, obs, env)
        if t % 10 == 0:
            print(t, r)


if __name__ == "__main__":
    main()
