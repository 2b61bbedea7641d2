# %% Attribution methods for a small ECG classifier
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"

# %% data
t = torch.linspace(0, 1, 80)
labels = torch.randint(0, 2, (60,))
beats = torch.exp(-((t - 0.5) ** 2) / 0.002) + labels[:, None] * 0.5 * torch.exp(-((t - 0.7) ** 2) / 0.001)
beats = (beats + 0.05 * torch.randn(60, 80)).unsqueeze(1).to(device)
labels = labels.to(device)

# %% model
net = nn.Sequential(
    nn.Conv1d(1, 8, 7, padding=3), nn.ReLU(), nn.MaxPool1d(2),
    nn.Conv1d(8, 16, 5, padding=2), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(16, 2),
).to(device)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(15):
    opt.zero_grad()
    loss = F.cross_entropy(net(beats), labels)
    loss.backward()
    opt.step()
print("training loss", loss.item())
net.eval()
for p in net.parameters():
    p.requires_grad_(False)

# %% plain gradient
x = beats[:4].clone().requires_grad_(True)
score = net(x).gather(1, labels[:4, None]).sum()
score.backward()
plain = x.grad.squeeze(1).cpu().numpy()

# %% integrated gradients
base = torch.zeros_like(beats[:4])
steps = 16
acc = torch.zeros_like(base)
for a in (np.arange(steps) + 0.5) / steps:
    point = (base + float(a) * (beats[:4] - base)).requires_grad_(True)
    out = net(point).gather(1, labels[:4, None]).sum()
    acc += torch.autograd.grad(out, point)[0]
integrated = (beats[:4] - base) * acc / steps
with torch.no_grad():
    gap = (net(beats[:4]) - net(base)).gather(1, labels[:4, None]).squeeze(1) - integrated.sum((1, 2))

# %% activation map through a hook
kept = {}
handle = net[4].register_forward_hook(lambda m, i, o: kept.update(act=o))
x = beats[:4].clone().requires_grad_(True)
out = net(x).gather(1, labels[:4, None]).sum()
handle.remove()
weights = torch.autograd.grad(out, kept["act"])[0].mean(-1, keepdim=True)
cam = F.relu((weights * kept["act"].detach()).sum(1))
print(plain.shape, integrated.abs().amax().item(), gap.abs().max().item(), cam.cpu().numpy().shape)
