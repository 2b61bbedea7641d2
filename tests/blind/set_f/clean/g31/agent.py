import numpy as np
import torch
from torch import nn

from ring import RingBuffer


class SoftAgent:
    def __init__(self, obs, act, device):
        self.device = device
        self.mu = nn.Linear(obs, act).to(device)
        self.q = nn.Sequential(nn.Linear(obs + act, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
        self.log_alpha = torch.zeros(1, device=device, requires_grad=True)
        self.opts = {
            "mu": torch.optim.Adam(self.mu.parameters(), 1e-3),
            "q": torch.optim.Adam(self.q.parameters(), 1e-3),
            "alpha": torch.optim.Adam([self.log_alpha], 1e-3),
        }

    @torch.no_grad()
    def act(self, s):
        s = torch.as_tensor(s, device=self.device).unsqueeze(0)
        return self.mu(s).tanh().squeeze(0).cpu().numpy()

    def minimize(self, name, loss):
        self.opts[name].zero_grad()
        loss.backward()
        self.opts[name].step()
        return loss.item()

    def update(self, s, a, r):
        stats = {"q": self.minimize("q", (self.q(torch.cat([s, a], 1)) - r).pow(2).mean())}
        fresh = self.mu(s).tanh()
        self.q.requires_grad_(False)
        entropy = -(fresh.pow(2)).sum(1, keepdim=True)
        stats["mu"] = self.minimize("mu", (-self.q(torch.cat([s, fresh], 1)) - self.log_alpha.exp().detach() * entropy).mean())
        self.q.requires_grad_(True)
        stats["alpha"] = self.minimize("alpha", (self.log_alpha.exp() * (entropy.detach() + 1)).mean())
        return stats


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    agent, memory = SoftAgent(3, 2, device), RingBuffer(32, 3, 2, device)
    for i in range(20):
        s = np.random.randn(3).astype(np.float32)
        a = agent.act(s)
        memory.add(s, a, -float(np.square(a).sum()))
    print(agent.update(*memory.sample(8)))
    print(agent.update(*memory.sample(8)))
