import math

import torch
import torch.nn as nn
import torch.nn.functional as F


@torch.no_grad()
def init_weights(module, depth=4):
    if isinstance(module, nn.Linear):
        module.weight.normal_(0.0, 0.02)
        if module.bias is not None:
            module.bias.zero_()
        if getattr(module, "residual", False):
            module.weight.mul_(1 / math.sqrt(2 * depth))
    elif isinstance(module, nn.Embedding):
        module.weight.uniform_(-0.05, 0.05)
        module.weight[0] = 0.0


class MaskedLinear(nn.Linear):
    """Autoregressive layer: a copy of the weight gets its zeros at each call."""

    def __init__(self, inp, out):
        super().__init__(inp, out)
        self.register_buffer("banned", torch.ones(out, inp, dtype=torch.bool).triu(1))

    def forward(self, x):
        weight = self.weight.clone()
        weight[self.banned] = 0.0
        return F.linear(x, weight, self.bias)


class MADE(nn.Module):
    def __init__(self, dim=8, buckets=10):
        super().__init__()
        self.emb = nn.Embedding(buckets, dim)
        self.first = MaskedLinear(dim, dim)
        self.second = MaskedLinear(dim, dim)
        self.second.residual = True
        self.apply(init_weights)

    def forward(self, x, bucket):
        h = F.elu(self.first(x)) + self.emb(bucket)
        return self.second(h)


def renorm(weight, limit):
    with torch.no_grad():
        norm = weight.norm(dim=1, keepdim=True)
        weight *= (limit / norm.clamp(min=1e-8)).clamp(max=1.0)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
made = MADE().to(device)
optimizer = torch.optim.SGD(made.parameters(), lr=0.1)
for step in range(6):
    x = torch.randn(16, 8, device=device)
    bucket = torch.randint(1, 10, (16,), device=device)
    loss = F.mse_loss(made(x, bucket), x.roll(1, dims=1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    renorm(made.first.weight, 2.0)
print(f"{loss.item():.4f}", made.emb.weight[0].abs().max().item())
