import torch
import torch.nn as nn
import torch.nn.functional as F


class Int8Linear(nn.Module):
    def __init__(self, weight, bias):
        super().__init__()
        scale = weight.abs().amax(1, keepdim=True).clamp(min=1e-8) / 127
        q = (weight / scale).round().clamp(-128, 127).to(torch.int8)
        self.weight = nn.Parameter(q, requires_grad=False)
        self.register_buffer("scale", scale)
        self.bias = None if bias is None else nn.Parameter(bias.clone(), requires_grad=False)

    @classmethod
    @torch.no_grad()
    def from_float(cls, linear):
        return cls(linear.weight, linear.bias)

    def forward(self, x):
        return F.linear(x, self.weight.to(x.dtype) * self.scale, self.bias)


def quantise_(module):
    for name, child in module.named_children():
        if isinstance(child, nn.Linear):
            setattr(module, name, Int8Linear.from_float(child))
        else:
            quantise_(child)
    return module


def size_mb(module):
    return sum(t.numel() * t.element_size() for t in module.state_dict().values()) / 2**20


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Sequential(nn.Linear(64, 64), nn.ReLU()), nn.Linear(64, 4)).eval()
x = torch.randn(8, 16)
with torch.no_grad():
    reference, before = net(x), size_mb(net)
quantise_(net).to(device)
prompt = torch.zeros(8, 16, device=device, requires_grad=True)
opt = torch.optim.Adam([prompt], lr=1e-2)
for _ in range(3):
    loss = F.mse_loss(net(x.to(device) + prompt), reference.to(device))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(before, size_mb(net), loss.item())
