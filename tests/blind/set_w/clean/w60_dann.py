import math
import torch
from torch import nn
from torch.autograd import Function
import torch.nn.functional as F


class Reverse(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.strength * grad, None


class HardGate(Function):
    @staticmethod
    def forward(ctx, logits):
        p = logits.sigmoid()
        ctx.save_for_backward(p)
        return (p > 0.5).to(p.dtype)

    @staticmethod
    def backward(ctx, grad):
        (p,) = ctx.saved_tensors
        return grad * p * (1 - p)


class DANN(nn.Module):
    def __init__(self, d=10, h=16, classes=3):
        super().__init__()
        self.gate = nn.Parameter(torch.full((d,), 0.5))
        self.feat = nn.Sequential(nn.Linear(d, h), nn.ReLU())
        self.label, self.domain = nn.Linear(h, classes), nn.Linear(h, 2)

    def forward(self, x, strength=0.0):
        f = self.feat(x * HardGate.apply(self.gate))
        return self.label(f), self.domain(Reverse.apply(f, strength))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = DANN().to(device)
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
total = 6
for it in range(total):
    lam = 2 / (1 + math.exp(-10 * it / total)) - 1
    src, tgt = torch.randn(16, 10).to(device), (torch.randn(16, 10) + 1).to(device)
    y = torch.randint(3, (16,), device=device)
    cls, dom_s = net(src, lam)
    _, dom_t = net(tgt, lam)
    dom = torch.cat([dom_s, dom_t])
    where = torch.cat([torch.zeros(16), torch.ones(16)]).long().to(dom.device)
    loss = F.cross_entropy(cls, y) + F.cross_entropy(dom, where)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(it, loss.item(), int((net.gate.detach() > 0).sum()))
