import random
from collections import namedtuple
import torch
from policy import Policy

Transition = namedtuple("Transition", "logp entropy reward")


class Bandit:
    """Two cues, each has its own best arm."""

    def __init__(self, arms=3):
        self.arms = arms

    def cue(self):
        self.kind = random.randrange(2)
        return [1.0, 0.0] if self.kind == 0 else [0.0, 1.0]

    def pull(self, a):
        return 1.0 if a == self.kind else random.gauss(0.0, 0.1)


class Reinforce:
    def __init__(self, env, device, ent_coef=0.01):
        self.env, self.device, self.ent_coef = env, device, ent_coef
        self.policy = Policy(2, env.arms).to(device)
        self.opt = torch.optim.Adam(self.policy.parameters(), lr=0.02)
        self.baseline = 0.0
        self.memory = []

    def collect(self, n):
        for _ in range(n):
            obs = torch.tensor(self.env.cue(), device=self.device)
            a, logp, ent = self.policy.act(obs)
            self.memory.append(Transition(logp, ent, self.env.pull(a)))

    def update(self):
        logp = torch.stack([t.logp for t in self.memory])
        ent = torch.stack([t.entropy for t in self.memory])
        rew = torch.tensor([t.reward for t in self.memory], device=self.device)
        adv = rew - self.baseline
        self.baseline = 0.9 * self.baseline + 0.1 * rew.mean().item()
        loss = -(logp * adv).mean() - self.ent_coef * ent.mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.memory.clear()
        return rew.mean().item()


random.seed(1)
algo = Reinforce(Bandit(), torch.device("cuda" if torch.cuda.is_available() else "cpu"))
for it in range(4):
    algo.collect(16)
    print(it, algo.update())
