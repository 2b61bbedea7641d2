import torch
from torch import nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self, n_obs=4, n_act=3):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(n_obs, 32), nn.ReLU())
        self.pi, self.v = nn.Linear(32, n_act), nn.Linear(32, 1)

    def forward(self, obs):
        h = self.shared(obs)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


class Corridor:
    def __init__(self, device):
        self.device = device

    def reset(self):
        self.pos, self.t = 0, 0
        return self._obs()

    def _obs(self):
        return torch.tensor([self.pos, self.t, 1.0, self.pos ** 2], device=self.device) / 10

    def step(self, action):
        self.pos += int(action) - 1
        self.t += 1
        return self._obs(), 1.0 if self.pos > 2 else -0.1, self.t >= 12


class Rollout:
    def __init__(self, env, net):
        self.env, self.net = env, net

    def collect(self):
        obs, done = self.env.reset(), False
        log_probs, values, rewards = [], [], []
        while not done:
            dist, value = self.net(obs)
            action = dist.sample()
            obs, reward, done = self.env.step(action.item())
            log_probs.append(dist.log_prob(action))
            values.append(value)
            rewards.append(reward)
        return torch.stack(log_probs), torch.stack(values), rewards


def discounted(rewards, gamma, device):
    out, running = [], 0.0
    for r in rewards[::-1]:
        running = r + gamma * running
        out.insert(0, running)
    return torch.tensor(out, device=device)


def train(episodes=3, gamma=0.98):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = ActorCritic().to(device)
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    rollout = Rollout(Corridor(device), net)
    for ep in range(episodes):
        log_probs, values, rewards = rollout.collect()
        returns = discounted(rewards, gamma, device)
        advantage = returns - values.detach()
        policy_loss = -(log_probs * advantage).sum()
        value_loss = nn.functional.smooth_l1_loss(values, returns)
        opt.zero_grad()
        (policy_loss + 0.5 * value_loss).backward()
        opt.step()
        print(ep, sum(rewards))


train()
