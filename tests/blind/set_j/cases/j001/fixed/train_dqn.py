import copy
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from replay import ReplayBuffer

GAMMA, BATCH, SYNC = 0.99, 16, 10


class QNet(nn.Module):
    def __init__(self, obs, n_actions):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs, 32), nn.ReLU(), nn.Linear(32, n_actions))

    def forward(self, x):
        return self.net(x)


def step_env(state, action):
    nxt = state * 0.9 + 0.1 * np.random.randn(*state.shape)
    return nxt, float(-abs(nxt).mean() + 0.01 * action), random.random() < 0.05


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    q = QNet(4, 2).to(device)
    target = copy.deepcopy(q).eval()
    opt = torch.optim.Adam(q.parameters(), lr=1e-3)
    buf = ReplayBuffer(500, device)
    state = np.random.randn(4)
    for t in range(40):
        if random.random() < 0.1:
            action = random.randrange(2)
        else:
            with torch.no_grad():
                obs = torch.from_numpy(state).float().to(device)
                action = int(q(obs.unsqueeze(0)).argmax(1))
        nxt, reward, done = step_env(state, action)
        buf.push(state, action, reward, nxt, done)
        state = np.random.randn(4) if done else nxt
        if len(buf) < BATCH:
            continue
        s, a, r, s2, d = buf.sample(BATCH)
        q_sa = q(s).gather(1, a).squeeze(1)
        with torch.no_grad():
            y = r + GAMMA * (1 - d) * target(s2).max(1).values
        loss = F.smooth_l1_loss(q_sa, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if t % SYNC == 0:
            target.load_state_dict(q.state_dict())


if __name__ == "__main__":
    main()
