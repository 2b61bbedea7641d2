import math

import torch
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, base, rank=2, alpha=4.0):
        super().__init__()
        self.base = base.requires_grad_(False)
        factory = {"device": base.weight.device, "dtype": base.weight.dtype}
        self.a = nn.Parameter(torch.empty(rank, base.in_features, **factory))
        self.b = nn.Parameter(torch.zeros(base.out_features, rank, **factory))
        nn.init.kaiming_uniform_(self.a, a=math.sqrt(5))
        self.scaling = alpha / rank

    def forward(self, x):
        return self.base(x) + (x @ self.a.t() @ self.b.t()) * self.scaling

    @torch.no_grad()
    def merged(self):
        out = nn.Linear(self.base.in_features, self.base.out_features).to(self.a.device)
        out.weight.copy_(self.base.weight + self.scaling * self.b @ self.a)
        out.bias.copy_(self.base.bias)
        return out


def add_lora(model, rank):
    for name, child in model.named_children():
        if isinstance(child, nn.Linear):
            setattr(model, name, LoRALinear(child, rank))
        else:
            add_lora(child, rank)
    return model


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Sequential(nn.Linear(16, 16), nn.ReLU()), nn.Linear(16, 2))
    net = net.to(device)
    add_lora(net, rank=2)
    temperature = nn.Parameter(torch.ones((), device=device))
    trainable = [p for p in net.parameters() if p.requires_grad] + [temperature]
    opt = torch.optim.AdamW(trainable, lr=5e-3)
    for _ in range(4):
        x = torch.randn(24, 8, device=device)
        y = (x.sum(1) > 0).long()
        loss = nn.functional.cross_entropy(net(x) / temperature, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        gap = (net[0].merged()(x) - net[0](x)).abs().max().item()
    print(loss.item(), f"{gap:.1e}", len(trainable))
