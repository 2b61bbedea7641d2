import torch
from torch import nn
import torch.nn.functional as F

config = {"obs": 6, "act": 2, "det": 16, "sto": 4, "chunk": 5, "updates": 3, "lr": 3e-4}


class RSSM(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.inp = nn.Linear(c["sto"] + c["act"], c["det"])
        self.cell = nn.GRUCell(c["det"], c["det"])
        self.post = nn.Linear(c["det"] + c["obs"], 2 * c["sto"])
        self.prior = nn.Linear(c["det"], 2 * c["sto"])
        self.dec = nn.Linear(c["det"] + c["sto"], c["obs"])

    def initial(self, n):
        p = next(self.parameters())
        return {"h": p.new_zeros(n, self.c["det"]), "s": p.new_zeros(n, self.c["sto"])}

    def observe(self, state, obs, act):
        x = F.elu(self.inp(torch.cat([state["s"], act], -1)))
        h = self.cell(x, state["h"])
        m, ls = self.post(torch.cat([h, obs], -1)).chunk(2, -1)
        pm, pls = self.prior(h).chunk(2, -1)
        s = m + ls.exp() * torch.randn_like(m)
        kl = (pls - ls + (ls.mul(2).exp() + (m - pm).pow(2)) / (2 * pls.mul(2).exp()) - 0.5).sum(-1)
        return {"h": h, "s": s}, kl


class Learner:
    def __init__(self, c):
        self.c = c
        self.model = RSSM(c)
        self.optim = torch.optim.Adam(self.model.parameters(), lr=c["lr"])
        self.state = None

    def update(self, obs, act):
        if self.state is None:
            self.state = self.model.initial(obs.size(1))
        state, total = self.state, 0.0
        for o, a in zip(obs, act):
            state, kl = self.model.observe(state, o, a)
            rec = self.model.dec(torch.cat([state["h"], state["s"]], -1))
            total = total + F.mse_loss(rec, o) + 0.1 * kl.mean()
        self.optim.zero_grad()
        total.backward()
        self.optim.step()
        self.state = state
        return total.item() / len(obs)


learner = Learner(config)
for u in range(config["updates"]):
    obs = torch.randn(config["chunk"], 3, config["obs"])
    act = torch.randn(config["chunk"], 3, config["act"])
    print(u, learner.update(obs, act))
