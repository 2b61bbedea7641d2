import random

import torch
import torch.nn as nn
import torch.nn.functional as F


class PCGrad:
    def __init__(self, optimizer, shared):
        self.opt, self.shared = optimizer, list(shared)

    def backward(self, losses):
        flat = []
        for loss in losses:
            grads = torch.autograd.grad(loss, self.shared, retain_graph=True)
            flat.append(torch.cat([g.flatten() for g in grads]))
        merged = torch.zeros_like(flat[0])
        for i, g in enumerate(flat):
            g = g.clone()
            for j in random.sample(range(len(flat)), len(flat)):
                dot = g @ flat[j]
                if j != i:
                    g -= torch.clamp(dot, max=0) / flat[j].norm().pow(2).clamp(min=1e-12) * flat[j]
            merged += g
        self.opt.zero_grad()
        sum(losses).backward()
        at = 0
        for p in self.shared:
            p.grad = merged[at : at + p.numel()].view_as(p).clone()
            at += p.numel()
        self.opt.step()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
trunk = nn.Sequential(nn.Linear(6, 24), nn.ReLU()).to(device)
heads = nn.ModuleList(nn.Linear(24, k) for k in (3, 1)).to(device)
pc = PCGrad(torch.optim.Adam([*trunk.parameters(), *heads.parameters()], lr=1e-3), trunk.parameters())
for it in range(3):
    x = torch.randn(16, 6, device=device)
    z = trunk(x)
    a = F.cross_entropy(heads[0](z), x[:, :3].argmax(1))
    b = F.mse_loss(heads[1](z).squeeze(1), x.sum(1))
    pc.backward([a, b])
print(a.item(), b.item())
