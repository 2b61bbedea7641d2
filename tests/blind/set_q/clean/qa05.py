from itertools import cycle

import torch
import torch.nn as nn
import torch.nn.functional as F

dev = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 48), nn.SiLU(), nn.Linear(48, o))


def toggle(net, flag):
    for p in net.parameters():
        p.requires_grad_(flag)


def r1(logits, real):
    (g,) = torch.autograd.grad(logits.sum(), real, create_graph=True)
    return g.flatten(1).pow(2).sum(1).mean()


gen, disc = mlp(8, 3).to(dev), mlp(3, 1).to(dev)
g_opt = torch.optim.Adam(gen.parameters(), 2e-3, betas=(0.0, 0.99))
d_opt = torch.optim.Adam(disc.parameters(), 2e-3, betas=(0.0, 0.99))
pool = torch.randn(256, 3) * torch.tensor([1.0, 0.5, 0.1])
batches = cycle(pool.split(64))

for step in range(20):
    real = next(batches).to(dev)
    z = torch.randn(real.shape[0], 8, device=dev)

    toggle(disc, True)
    d_opt.zero_grad()
    apply_r1 = step % 4 == 0
    real.requires_grad_(apply_r1)
    fake = gen(z)
    real_logits = disc(real)
    loss_d = F.softplus(-real_logits).mean() + F.softplus(disc(fake.detach())).mean()
    if apply_r1:
        loss_d = loss_d + 4 * 5.0 * r1(real_logits, real)
    loss_d.backward()
    d_opt.step()

    toggle(disc, False)
    g_opt.zero_grad()
    loss_g = F.softplus(-disc(fake)).mean()
    loss_g.backward()
    g_opt.step()

with torch.no_grad():
    sample = gen(torch.randn(500, 8, device=dev))
print("std", sample.std(0).cpu().numpy())
