import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRALinear(nn.Module):
    """A frozen layer plus a low-rank change that is learnt on the layer's own device."""

    def __init__(self, base, rank=2, alpha=4.0):
        super().__init__()
        self.base = base.requires_grad_(False)
        device, dtype = base.weight.device, base.weight.dtype
        down = torch.randn(rank, base.in_features) / math.sqrt(base.in_features)
        self.down = nn.Parameter(down.to(device, dtype))
        self.up = nn.Parameter(torch.zeros(base.out_features, rank, device=device, dtype=dtype))
        self.scale = alpha / rank

    def forward(self, x):
        return self.base(x) + self.scale * F.linear(F.linear(x, self.down), self.up)

    @torch.no_grad()
    def merged(self):
        layer = nn.Linear(self.base.in_features, self.base.out_features).to(self.base.weight.device)
        layer.load_state_dict(self.base.state_dict())
        layer.weight += self.scale * self.up @ self.down
        return layer


def add_lora(model):
    for i, layer in enumerate(model):
        if isinstance(layer, nn.Linear):
            model[i] = LoRALinear(layer)
    return model


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 2)).to(device)
model = add_lora(model)
optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
x = torch.randn(64, 6).to(device)
y = (x[:, 0] > 0).long()
for step in range(10):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
plain = nn.Sequential(model[0].merged(), model[1], model[2].merged())
with torch.no_grad():
    print(loss.item(), (plain(x) - model(x)).abs().max().item())
