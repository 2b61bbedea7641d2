import torch
from torch import nn


class Mixer(nn.Module):
    def __init__(self, tokens=6, d=8):
        super().__init__()
        self.t = nn.Linear(tokens, tokens)
        self.c = nn.Linear(d, d)
        self.norm = nn.LayerNorm(d)
        self.register_buffer("scale", torch.ones(1))

    def reset_parameters(self):
        for m in (self.t, self.c, self.norm):
            m.reset_parameters()
        self.scale.fill_(0.5)

    def forward(self, x):
        h = self.norm(x)
        h = self.t(h.mT).mT
        return x + self.scale * self.c(h.relu())


def materialise(module, device):
    module.to_empty(device=device)
    for m in module.modules():
        if hasattr(m, "reset_parameters"):
            m.reset_parameters()
    return module


def count(factory):
    with torch.device("meta"):
        return sum(p.numel() for p in factory().parameters())


def build(depth, device):
    with torch.device("meta"):
        net = nn.Sequential(*[Mixer() for _ in range(depth)], nn.Flatten(), nn.Linear(48, 3))
    return materialise(net, device)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print("a mixer has", count(Mixer), "weights")
net = build(2, device)
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
for _ in range(3):
    x, y = torch.randn(16, 6, 8), torch.randint(3, (16,))
    loss = nn.functional.cross_entropy(net(x.to(device)), y.to(device), label_smoothing=0.1)
    opt.zero_grad()
    loss.backward()
    opt.step()
shape_only = net(torch.randn(2, 6, 8, device=device)).detach().to("meta")
print(loss.item(), tuple(shape_only.shape))
