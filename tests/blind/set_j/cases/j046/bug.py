import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class RunningNorm:
    def __init__(self, eps=1e-4):
        self.mean, self.var, self.n = 0.0, 1.0, eps

    def __call__(self, r):
        for v in r.tolist():
            self.n += 1
            d = v - self.mean
            self.mean += d / self.n
            self.var += (d * (v - self.mean) - self.var) / self.n
        return r / (self.var**0.5 + 1e-6)


class DuelingQ(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 32), nn.ReLU())
        self.v, self.a = nn.Linear(32, 1), nn.Linear(32, act)

    def forward(self, x):
        h = self.body(x)
        adv = self.a(h)
        return self.v(h) + adv - adv.mean(1, keepdim=True)


class Agent:
    def __init__(self, obs=4, act=3, gamma=0.95):
        self.q = DuelingQ(obs, act).to(device)
        self.gamma = gamma
        self.norm = RunningNorm()
        self.opt = torch.optim.Adam(self.q.parameters(), lr=1e-3)

    def td_target(self, r, s2, done):
        nxt = self.q(s2).max(1).values
        return r + self.gamma * (1 - done) * nxt

    def learn(self, s, a, r, s2, done):
        y = self.td_target(self.norm(r), s2, done)
        q = self.q(s).gather(1, a.unsqueeze(1)).squeeze(1)
        loss = F.mse_loss(q, y)
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(self.q.parameters(), 1.0)
        self.opt.step()
        return loss.item()


agent = Agent()
for i in range(5):
    s, s2 = torch.randn(2, 16, 4, device=device)
    a = torch.randint(0, 3, (16,), device=device)
    done = (torch.rand(16, device=device) < 0.1).float()
    print(i, agent.learn(s, a, s.sum(1), s2, done))
