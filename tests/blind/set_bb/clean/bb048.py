import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRA(nn.Module):
    def __init__(self, base, rank=2, scale=1.0):
        super().__init__()
        self.base = base.requires_grad_(False)
        w = base.weight
        self.a = nn.Parameter(torch.randn(rank, w.shape[1], device=w.device, dtype=w.dtype) * 0.02)
        self.b = nn.Parameter(w.new_zeros(w.shape[0], rank))
        self.scale = scale

    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.a.t() @ self.b.t())

    @torch.no_grad()
    def merge(self):
        self.base.weight += self.scale * self.b @ self.a
        return self.base


def walk(module, pred, make):
    for name, child in list(module.named_children()):
        if pred(child):
            setattr(module, name, make(child))
        else:
            walk(child, pred, make)
    return module


def bn_to_gn(bn):
    gn = nn.GroupNorm(4, bn.num_features, eps=bn.eps)
    gn.load_state_dict({"weight": bn.weight.detach(), "bias": bn.bias.detach()})
    return gn.to(bn.weight.device)


class Residual(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.n, self.f1, self.f2 = nn.BatchNorm1d(d), nn.Linear(d, 2 * d), nn.Linear(2 * d, d)

    def forward(self, x):
        return x + self.f2(F.relu(self.f1(self.n(x))))


def pretrained(d=8, classes=4):
    return nn.Sequential(Residual(d), Residual(d), nn.Linear(d, classes))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = pretrained().to(device)
walk(net, lambda m: isinstance(m, nn.BatchNorm1d), bn_to_gn)
net.requires_grad_(False)
walk(net, lambda m: isinstance(m, nn.Linear) and m.out_features != 4, LoRA)
net[-1] = nn.Linear(8, 3, device=device)

trainable = [(n, p) for n, p in net.named_parameters() if p.requires_grad]
opt = torch.optim.AdamW([{"params": [p for n, p in trainable if n.endswith((".a", ".b"))]},
                         {"params": net[-1].parameters(), "lr": 1e-2}], lr=1e-3)
for _ in range(5):
    x, y = torch.randn(16, 8, device=device), torch.randint(0, 3, (16,), device=device)
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()

net.eval()
with torch.no_grad():
    before = net(x)
    walk(net, lambda m: isinstance(m, LoRA), LoRA.merge)
    gap = (net(x) - before).abs().max().item()
print(len(trainable), f"{gap:.1e}")
