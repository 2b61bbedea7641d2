"""Actor that collects on the host while the learner trains on the accelerator."""
import copy
import random
from collections import deque

import torch
import torch.nn as nn
import torch.nn.functional as F

LEARN_DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class GridWorld:
    def __init__(self, size=6):
        self.size = size

    def reset(self):
        self.pos, self.t = 0, 0
        return self._obs()

    def _obs(self):
        return F.one_hot(torch.tensor(self.pos), self.size).float()

    def step(self, action):
        self.pos = max(0, min(self.size - 1, self.pos + (1 if action else -1)))
        self.t += 1
        done = self.pos == self.size - 1 or self.t >= 12
        return self._obs(), float(self.pos == self.size - 1), done


class QNet(nn.Module):
    def __init__(self, n_obs, n_act):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_obs, 32), nn.ReLU(), nn.Linear(32, n_act))

    def forward(self, obs):
        return self.body(obs)


class Actor:
    def __init__(self, policy, env, eps=0.2):
        self.policy, self.env, self.eps = policy, env, eps

    @torch.no_grad()
    def episode(self, memory):
        obs, done = self.env.reset(), False
        while not done:
            if random.random() < self.eps:
                action = random.randrange(2)
            else:
                action = self.policy(obs.unsqueeze(0)).argmax(1).item()
            nxt, reward, done = self.env.step(action)
            memory.append((obs, action, reward, nxt, float(done)))
            obs = nxt


class Learner:
    def __init__(self, net, gamma=0.97):
        self.net, self.gamma = net, gamma
        self.target = copy.deepcopy(net)
        self.opt = torch.optim.Adam(net.parameters(), 1e-3)

    def update(self, batch):
        obs, act, rew, nxt, done = zip(*batch)
        obs, nxt = torch.stack(obs).to(LEARN_DEVICE), torch.stack(nxt).to(LEARN_DEVICE)
        act = torch.tensor(act, device=LEARN_DEVICE)
        rew = torch.tensor(rew, device=LEARN_DEVICE)
        done = torch.tensor(done, device=LEARN_DEVICE)
        with torch.no_grad():
            goal = rew + self.gamma * (1 - done) * self.target(nxt).max(1).values
        q = self.net(obs).gather(1, act.unsqueeze(1)).squeeze(1)
        loss = F.smooth_l1_loss(q, goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()


def main():
    random.seed(0)
    net = QNet(6, 2)
    actor = Actor(copy.deepcopy(net).cpu(), GridWorld(), eps=0.1)
    learner = Learner(net.to(LEARN_DEVICE))
    memory = deque(maxlen=500)
    for it in range(4):
        actor.episode(memory)
        learner.update(random.sample(memory, min(len(memory), 16)))
        actor.policy.load_state_dict(learner.net.state_dict())
    print("transitions", len(memory))


if __name__ == "__main__":
    main()
