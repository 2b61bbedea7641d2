import torch
import torch.nn as nn
from torch.distributions import Categorical


class Corridor:
    """Walk right to reach the goal."""

    def __init__(self, length=6):
        self.length = length

    def reset(self):
        self.pos = 0
        return self.observe()

    def observe(self):
        obs = torch.zeros(self.length)
        obs[self.pos] = 1.0
        return obs

    def step(self, action):
        self.pos = max(0, min(self.length - 1, self.pos + (1 if action == 1 else -1)))
        done = self.pos == self.length - 1
        return self.observe(), (1.0 if done else -0.05), done


class Agent:
    def __init__(self, obs_dim, n_actions, device):
        self.device = device
        self.policy = nn.Sequential(nn.Linear(obs_dim, 32), nn.Tanh(), nn.Linear(32, n_actions)).to(device)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=1e-2)
        self.log_probs, self.rewards = [], []

    @torch.no_grad()
    def act(self, obs):
        dist = Categorical(logits=self.policy(obs.to(self.device)))
        action = dist.sample()
        self.log_probs.append(dist.log_prob(action))
        return int(action)

    def returns(self, gamma=0.98):
        out, running = [], 0.0
        for r in reversed(self.rewards):
            running = r + gamma * running
            out.append(running)
        g = torch.tensor(out[::-1], device=self.device)
        return (g - g.mean()) / (g.std() + 1e-6)

    def learn(self):
        objective = (torch.stack(self.log_probs) * self.returns()).sum()
        self.optimizer.zero_grad()
        (-objective).backward()
        self.optimizer.step()
        self.log_probs.clear()
        self.rewards.clear()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
env = Corridor()
agent = Agent(env.length, 2, device)
for episode in range(5):
    obs = env.reset()
    for t in range(30):
        obs, reward, done = env.step(agent.act(obs))
        agent.rewards.append(reward)
        if done:
            break
    total = sum(agent.rewards)
    agent.learn()
    print(f"episode {episode}: return {total:.2f} in {t + 1} steps")
