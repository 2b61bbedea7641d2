import torch
import torch.nn as nn
from torch.distributions import Categorical

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Bandit:
    """Ten step episode, reward when the action equals the sign of the observation."""

    def reset(self):
        self.t = 0
        self.obs = torch.randn(3)
        return self.obs

    def step(self, action):
        reward = 1.0 if action == int(self.obs[0] > 0) else 0.0
        self.obs = torch.randn(3)
        self.t += 1
        return self.obs, reward, self.t >= 10


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 16)
        self.pi = nn.Linear(16, 2)
        self.v = nn.Linear(16, 1)
        self.saved = []
        self.rewards = []

    def forward(self, x):
        h = torch.relu(self.fc(x))
        return self.pi(h), self.v(h).squeeze(-1)


policy = Policy().to(device)
opt = torch.optim.Adam(policy.parameters(), lr=2e-2)
env = Bandit()


def select_action(state):
    logits, value = policy(state.to(device))
    m = Categorical(logits=logits)
    action = m.sample()
    policy.saved.append((m.log_prob(action), value))
    return action.item()


def finish_episode(gamma=0.9):
    R, returns = 0.0, []
    for r in policy.rewards[::-1]:
        R = r + gamma * R
        returns.insert(0, R)
    returns = torch.tensor(returns, device=device)
    returns = (returns - returns.mean()) / (returns.std() + 1e-6)
    log_probs, values = map(torch.stack, zip(*policy.saved))
    advantage = returns - values.detach()
    loss = -(log_probs * advantage).sum() + nn.functional.mse_loss(values, returns)
    opt.zero_grad()
    loss.backward()
    opt.step()
    del policy.saved[:]
    del policy.rewards[:]


running = 5.0
for episode in range(25):
    state, done, total = env.reset(), False, 0.0
    while not done:
        state, reward, done = env.step(select_action(state))
        policy.rewards.append(reward)
        total += reward
    running = 0.95 * running + 0.05 * total
    finish_episode()
print("running reward", round(running, 2))
