import torch
from torch import nn
from torch.distributions import Categorical

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Policy(nn.Module):
    def __init__(self, n_obs=4, n_act=3):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_obs, 32), nn.Tanh(), nn.Linear(32, n_act))

    def forward(self, obs):
        return Categorical(logits=self.net(obs))


class Corridor:
    def reset(self):
        self.t = 0
        return torch.randn(4)

    def step(self, action):
        self.t += 1
        return torch.randn(4), float(action == 1), self.t >= 8


policy = Policy().to(device)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
env = Corridor()


def discounted(rewards, gamma=0.95):
    total, out = 0.0, []
    for r in reversed(rewards):
        total = r + gamma * total
        out.insert(0, total)
    out = torch.tensor(out, device=device)
    return (out - out.mean()) / (out.std() + 1e-6)


for episode in range(5):
    obs, done = env.reset(), False
    log_probs, rewards = [], []
    while not done:
        dist = policy(obs.to(device))
        action = dist.sample()
        log_probs.append(dist.log_prob(action))
        obs, reward, done = env.step(action.item())
        rewards.append(reward)
    loss = -(torch.stack(log_probs) * discounted(rewards)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"episode {episode} return {sum(rewards)}")
