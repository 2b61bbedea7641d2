import argparse
import copy

import numpy as np
import torch
import torch.nn.functional as F

from memory import Replay
from nets import Actor, Twin

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class TD3:
    def __init__(self, obs, act, delay):
        self.actor = Actor(obs, act).to(device)
        self.critic = Twin(obs, act).to(device)
        self.actor_t, self.critic_t = copy.deepcopy(self.actor), copy.deepcopy(self.critic)
        self.a_opt = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.c_opt = torch.optim.Adam(self.critic.parameters(), lr=1e-3)
        self.delay, self.it = delay, 0

    def act(self, obs, noise=0.1):
        with torch.no_grad():
            a = self.actor(torch.as_tensor(obs, dtype=torch.float32, device=device).unsqueeze(0))
        a = a.squeeze(0).cpu().numpy()
        return np.clip(a + np.random.normal(0, noise, a.shape), -1, 1)

    def train(self, batch):
        self.it += 1
        s, a, r, s2, nd = batch
        with torch.no_grad():
            eps = (torch.randn_like(a) * 0.2).clamp(-0.5, 0.5)
            a2 = (self.actor_t(s2) + eps).clamp(-1, 1)
            target = r + nd * 0.98 * torch.min(*self.critic_t(s2, a2))
        q1, q2 = self.critic(s, a)
        loss = F.mse_loss(q1, target) + F.mse_loss(q2, target)
        self.c_opt.zero_grad()
        loss.backward()
        self.c_opt.step()
        if self.it % self.delay == 0:
            pi_loss = -self.critic.q1(s, self.actor(s)).mean()
            self.a_opt.zero_grad()
            pi_loss.backward()
            self.a_opt.step()
            for live, slow in ((self.critic, self.critic_t), (self.actor, self.actor_t)):
                with torch.no_grad():
                    for p, q in zip(live.parameters(), slow.parameters()):
                        q.mul_(0.99).add_(p, alpha=0.01)
        return loss


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--delay", type=int, default=2)
    agent, mem = TD3(3, 1, ap.parse_args().delay), Replay(400, 3, 1, device)
    s = np.random.randn(3).astype("float32")
    for t in range(80):
        a = agent.act(s)
        s2 = (0.9 * s + 0.1 * a).astype("float32")
        mem.add(s, a, -float(np.abs(s2).sum()), s2, t % 20 == 19)
        s = s2
        if t >= 32:
            loss = agent.train(mem.sample(32))
    print(loss.item())


if __name__ == "__main__":
    main()
