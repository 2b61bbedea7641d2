import torch
from torch import nn
from torch.distributions import Categorical


class GridWorld:
    """Walk to the right end of a line; small enough to run anywhere."""

    def __init__(self, size=6):
        self.size = size

    def reset(self):
        self.pos = 0
        return self._obs()

    def _obs(self):
        v = torch.zeros(self.size)
        v[self.pos] = 1.0
        return v

    def step(self, action):
        self.pos = min(self.size - 1, max(0, self.pos + (1 if action == 1 else -1)))
        done = self.pos == self.size - 1
        return self._obs(), 1.0 if done else -0.05, done


class ActorCritic(nn.Module):
    def __init__(self, obs, actions=2, hidden=32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.pi = nn.Linear(hidden, actions)
        self.v = nn.Linear(hidden, 1)

    def forward(self, x):
        h = self.body(x)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def rollout(env, net, device, horizon=30):
    obs, done = env.reset(), False
    logps, values, rewards, entropies = [], [], [], []
    while not done and len(rewards) < horizon:
        dist, value = net(obs.to(device))
        action = dist.sample()
        obs, r, done = env.step(action.item())
        logps.append(dist.log_prob(action))
        values.append(value)
        rewards.append(r)
        entropies.append(dist.entropy())
    return torch.stack(logps), torch.stack(values), rewards, torch.stack(entropies)


def discounted(rewards, gamma=0.97):
    out, g = [], 0.0
    for r in reversed(rewards):
        g = r + gamma * g
        out.append(g)
    return out[::-1]


def main(episodes=4):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = ActorCritic(6).to(device)
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    env = GridWorld()
    for ep in range(episodes):
        logp, value, rewards, entropy = rollout(env, net, device)
        ret = torch.tensor(discounted(rewards), device=device)
        adv = ret - value.detach()
        actor_loss = -(logp * adv).mean() - 0.01 * entropy.mean()
        critic_loss = nn.functional.smooth_l1_loss(value, ret)
        opt.zero_grad()
        (actor_loss + critic_loss).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        opt.step()
        print(ep, len(rewards), round(sum(rewards), 2))


if __name__ == "__main__":
    main()
