import io

import torch
import torch.nn as nn
import torch.nn.functional as F


class Learner:
    def __init__(self, model, opt_cls, **kw):
        self.model = model
        self.opt = opt_cls(model.parameters(), **kw)
        self.device = torch.device("cpu")

    def to(self, device):
        self.device = torch.device(device)
        self.model.to(self.device)
        return self

    def step(self, x, y):
        x, y = x.to(self.device), y.to(self.device)
        loss = F.mse_loss(self.model(x), y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    def save(self, f):
        torch.save({"model": self.model.state_dict(), "opt": self.opt.state_dict()}, f)

    def load(self, f):
        ckpt = torch.load(f, map_location="cpu")
        self.model.load_state_dict(ckpt["model"])
        self.opt.load_state_dict(ckpt["opt"])
        return self


def net():
    return nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))


device = "cuda" if torch.cuda.is_available() else "cpu"
x, y = torch.randn(64, 6), torch.randn(64, 1)

first = Learner(net(), torch.optim.AdamW, lr=1e-3).to(device)
for i in range(3):
    print("first", first.step(x, y))
buf = io.BytesIO()
first.save(buf)
buf.seek(0)

resumed = Learner(net(), torch.optim.AdamW, lr=1e-3).to(device).load(buf)
for i in range(3):
    print("resumed", resumed.step(x, y))
