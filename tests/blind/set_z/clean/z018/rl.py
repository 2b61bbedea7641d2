import argparse
import copy
import random

import torch
from torch import nn
import torch.nn.functional as F

from buffer import ReplayBuffer


class QNet(nn.Module):
    def __init__(self, obs=4, actions=2):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs, 32), nn.ReLU(), nn.Linear(32, actions))

    def forward(self, x):
        return self.net(x)


class CoinEnv:
    def reset(self):
        self.t = 0
        self.state = torch.randn(4)
        return self.state

    def step(self, action):
        self.t += 1
        reward = float(self.state[0] > 0) if action == 1 else 0.1
        self.state = 0.9 * self.state + 0.1 * torch.randn(4)
        return self.state, reward, self.t >= 8


class DQNAgent:
    def __init__(self, args, device):
        self.device = device
        self.online = QNet().to(device)
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.actor = copy.deepcopy(self.online).to("cpu").eval()
        self.opt = torch.optim.Adam(self.online.parameters(), lr=args.lr)
        self.gamma, self.tau, self.eps = 0.95, 0.05, 0.2

    def sync_actor(self):
        self.actor.load_state_dict(self.online.state_dict())

    @torch.no_grad()
    def act(self, obs):
        if random.random() < self.eps:
            return random.randrange(2)
        return int(self.actor(obs.unsqueeze(0)).argmax())

    def learn(self, batch):
        q = self.online(batch.obs).gather(1, batch.action.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            best = self.online(batch.next_obs).argmax(1, keepdim=True)
            nxt = self.target(batch.next_obs).gather(1, best).squeeze(1)
            goal = batch.reward + self.gamma * (1 - batch.done) * nxt
        loss = F.smooth_l1_loss(q, goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        with torch.no_grad():
            for t, o in zip(self.target.parameters(), self.online.parameters()):
                t.lerp_(o, self.tau)
        return loss.item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--episodes", type=int, default=5)
    p.add_argument("--lr", type=float, default=1e-3)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    agent, buf, env = DQNAgent(args, device), ReplayBuffer(200, device), CoinEnv()
    for ep in range(args.episodes):
        obs, done, losses = env.reset(), False, []
        agent.sync_actor()
        while not done:
            action = agent.act(obs)
            nxt, reward, done = env.step(action)
            buf.push(obs, action, reward, nxt, done)
            obs = nxt
            if len(buf) >= 8:
                losses.append(agent.learn(buf.sample(8)))
        print(ep, sum(losses) / max(1, len(losses)))


if __name__ == "__main__":
    main()
