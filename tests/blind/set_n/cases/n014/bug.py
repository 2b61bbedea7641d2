import os
import tempfile
import torch
from torch import nn


class Autoencoder(nn.Module):
    def __init__(self, d=12, z=3):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d, 8), nn.ReLU(), nn.Linear(8, z))
        self.dec = nn.Sequential(nn.Linear(z, 8), nn.ReLU(), nn.Linear(8, d))

    def forward(self, x):
        return self.dec(self.enc(x))


class Experiment:
    def __init__(self, out_dir, every=2):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = Autoencoder().to(self.device)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.05)
        self.out_dir, self.every = out_dir, every

    def batches(self, n):
        for _ in range(n):
            yield torch.randn(8, 12).to(self.device)

    def snapshot(self, step):
        path = os.path.join(self.out_dir, f"step{step}.pt")
        host = self.model.cpu()
        torch.save({"step": step, "model": host.state_dict()}, path)

    def train(self, steps):
        for step, x in enumerate(self.batches(steps), 1):
            loss = (self.model(x) - x).pow(2).mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            if step % self.every == 0:
                self.snapshot(step)


with tempfile.TemporaryDirectory() as tmp:
    Experiment(tmp).train(5)
