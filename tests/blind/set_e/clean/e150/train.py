import torch
from torch import nn
from torch.distributions import Normal

from env import VecEnv
from storage import Storage


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.mu = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
        self.v = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
        self.log_std = nn.Parameter(torch.zeros(2))

    def dist(self, obs):
        return Normal(self.mu(obs), self.log_std.exp())

    def forward(self, obs):
        return self.dist(obs), self.v(obs).squeeze(-1)


@torch.no_grad()
def collect(agent, env, obs, store, device, steps):
    for _ in range(steps):
        dist, value = agent(obs.to(device))
        act = dist.sample()
        nxt, rew, _ = env.step(act.cpu())
        store.add(obs=obs, act=act, logp=dist.log_prob(act).sum(-1), rew=rew)
        store.val[store.t - 1 if store.t else steps - 1] = value
        obs = nxt
    store.val[-1] = agent(obs.to(device))[1]
    return obs


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    env, agent = VecEnv(3), Agent().to(device)
    optimizer = torch.optim.Adam(agent.parameters(), lr=3e-4, eps=1e-5)
    store, obs = Storage(4, 3, device), env.reset()
    for update in range(2):
        obs = collect(agent, env, obs, store, device, 4)
        for o, a, old, adv, ret in store.batches(6):
            dist, value = agent(o)
            logp = dist.log_prob(a).sum(-1)
            ratio = (logp - old).exp()
            loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
            loss = loss + 0.5 * (value - ret).square().mean() - 1e-3 * dist.entropy().sum(-1).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
        print(update, loss.item(), store.rew.mean().item())


if __name__ == "__main__":
    main()
