from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class Sample:
    data: torch.Tensor
    weight: float = 1.0


class Pool:
    def __init__(self, n, dim):
        self.items = [Sample(torch.randn(dim) + 2.0, weight=0.5 + i / n) for i in range(n)]

    def draw(self, n, device):
        chosen = [self.items[i] for i in torch.randperm(len(self.items))[:n].tolist()]
        for s in chosen:
            s.data.mul_(0.999)
        return torch.stack([s.data for s in chosen]).to(device), torch.tensor([s.weight for s in chosen], device=device)


def mlp(inp, out):
    return nn.Sequential(nn.Linear(inp, 24), nn.LeakyReLU(0.2), nn.Linear(24, out))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
critic, gen = mlp(4, 1).to(device), mlp(3, 4).to(device)
opt_c = torch.optim.RMSprop(critic.parameters(), lr=5e-4)
opt_g = torch.optim.RMSprop(gen.parameters(), lr=5e-4)
pool = Pool(64, 4)


@torch.no_grad()
def clip_weights(net, limit):
    for p in net.parameters():
        p.clamp_(-limit, limit)


for it in range(9):
    real, weight = pool.draw(16, device)
    fake = gen(torch.randn(16, 3, device=device)).detach()
    loss_c = critic(fake).mean() - (weight * critic(real).squeeze(-1)).mean()
    opt_c.zero_grad()
    loss_c.backward()
    opt_c.step()
    clip_weights(critic, 0.01)
    if it % 3 == 2:
        loss_g = -critic(gen(torch.randn(16, 3, device=device))).mean()
        opt_g.zero_grad()
        loss_g.backward()
        opt_g.step()
print(loss_c.item(), loss_g.item(), len({p.data_ptr() for p in critic.parameters()}))
