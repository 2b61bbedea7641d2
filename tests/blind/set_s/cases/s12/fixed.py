import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def to_numpy(t):
    return t.cpu().numpy()


class Autoencoder(nn.Module):
    def __init__(self, dim=12, code=3):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(dim, 16), nn.ReLU(), nn.Linear(16, code))
        self.dec = nn.Sequential(nn.Linear(code, 16), nn.ReLU(), nn.Linear(16, dim))

    def forward(self, x):
        code = self.enc(x)
        return self.dec(code), code


class CodeLog:
    def __init__(self, every):
        self.every, self.frames = every, []

    def record(self, step, codes):
        if step % self.every == 0:
            self.frames.append(to_numpy(codes))

    def spread(self):
        return [float(np.linalg.norm(f - f.mean(0), axis=1).mean()) for f in self.frames]


@torch.no_grad()
def reconstruction_error(model, x):
    recon, _ = model(x)
    return to_numpy((recon - x).square().mean(1))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.randn(64, 12, device=device)
model = Autoencoder().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
log = CodeLog(every=5)
print("before", reconstruction_error(model, x).mean())
for step in range(20):
    recon, code = model(x)
    loss = F.mse_loss(recon, x) + 1e-3 * code.abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    log.record(step, code.detach())
print("after", reconstruction_error(model, x).mean())
print("spread of codes", log.spread())
