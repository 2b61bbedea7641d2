import numpy as np
import torch
from torch import nn


def as_array(t):
    return t.cpu().numpy()


class Projector(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(12, 2)
        self.dec = nn.Linear(2, 12)

    def forward(self, x):
        z = self.enc(x)
        return self.dec(z), z


@torch.no_grad()
def embed(net, x):
    _, z = net(x)
    return as_array(z)


def table(net):
    rows = []
    with torch.no_grad():
        for name, p in net.named_parameters():
            rows.append((name, float(np.abs(as_array(p)).max())))
    return rows


def nearest(net, x, k=2):
    z = embed(net, x)
    d = ((z[:, None] - z[None]) ** 2).sum(-1)
    return np.argsort(d, axis=1)[:, 1 : k + 1]


net = Projector()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(20, 12)
curve = []
for _ in range(5):
    rec, z = net(x)
    loss = (rec - x).pow(2).mean() + 1e-3 * z.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    curve.append(loss.item())
labels = net(x)[1].argmax(1).numpy()
state = {k: v.cpu().numpy() for k, v in net.state_dict().items()}
grads = np.concatenate([p.grad.numpy().ravel() for p in net.parameters()])
print(np.mean(curve), nearest(net, x).shape, table(net)[0], np.bincount(labels), len(state), grads.size)
