import torch
import torch.nn as nn
import torch.nn.functional as F

from vq import EMAQuantizer

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
enc = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)
dec = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 10)).to(device)
vq = EMAQuantizer(16, 4).to(device).train()
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=2e-3)
for step in range(5):
    x = torch.randn(64, 10, device=device)
    q, commit, idx = vq(enc(x))
    loss = F.mse_loss(dec(q), x) + commit
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item(), "codes in use", idx.unique().numel())
