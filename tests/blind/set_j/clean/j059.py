import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class TD3:
    def __init__(self, obs, act, device, delay=2, tau=0.01):
        mlp = lambda i, o: nn.Sequential(nn.Linear(i, 32), nn.ReLU(), nn.Linear(32, o))
        self.pi = nn.Sequential(mlp(obs, act), nn.Tanh()).to(device)
        self.q = nn.ModuleList([mlp(obs + act, 1) for _ in range(2)]).to(device)
        self.pi_t, self.q_t = copy.deepcopy(self.pi), copy.deepcopy(self.q)
        self.opt_pi = torch.optim.Adam(self.pi.parameters(), 1e-3)
        self.opt_q = torch.optim.Adam(self.q.parameters(), 1e-3)
        self.delay, self.tau, self.it = delay, tau, 0

    @staticmethod
    def both(qs, s, a):
        sa = torch.cat([s, a], 1)
        return [q(sa).squeeze(1) for q in qs]

    def update(self, s, a, r, s2, done, gamma=0.99):
        self.it += 1
        with torch.no_grad():
            noise = (torch.randn_like(a) * 0.2).clamp(-0.5, 0.5)
            a2 = (self.pi_t(s2) + noise).clamp(-1, 1)
            y = r + gamma * (1 - done) * torch.min(*self.both(self.q_t, s2, a2))
        loss_q = sum(F.mse_loss(q, y) for q in self.both(self.q, s, a))
        self.opt_q.zero_grad()
        loss_q.backward()
        self.opt_q.step()
        if self.it % self.delay:
            return
        loss_pi = -self.q[0](torch.cat([s, self.pi(s)], 1)).mean()
        self.opt_pi.zero_grad()
        loss_pi.backward()
        self.opt_pi.step()
        with torch.no_grad():
            for net, tgt in ((self.pi, self.pi_t), (self.q, self.q_t)):
                for p, t in zip(net.parameters(), tgt.parameters()):
                    t.lerp_(p, self.tau)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
agent = TD3(4, 2, device)
for _ in range(4):
    s, s2 = torch.randn(2, 32, 4, device=device)
    a = torch.rand(32, 2, device=device) * 2 - 1
    done = torch.rand(32, device=device).lt(0.1).float()
    agent.update(s, a, -s.norm(dim=1), s2, done)
with torch.no_grad():
    print(agent.pi(torch.zeros(1, 4, device=device)).tolist())
