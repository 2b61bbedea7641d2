import torch
from torch import nn
import torch.nn.functional as F


class HardExamples:
    """Averages the k worst losses of the batch."""

    def __init__(self, k):
        self.k = k
        self.loss = nn.CrossEntropyLoss(reduction="none")

    def __call__(self, logits, y):
        per_item = self.loss(logits, y)
        worst = per_item.topk(min(self.k, per_item.numel())).values
        return worst.mean(), per_item.detach()


def saliency(net, x):
    x = x.clone().requires_grad_(True)
    logits = net(x)
    pick = F.one_hot(logits.argmax(1), logits.size(1)).to(logits.dtype)
    (grad,) = torch.autograd.grad(logits, x, grad_outputs=pick)
    return grad.abs()


def per_output(net, x):
    x = x.clone().requires_grad_(True)
    out = net(x)
    out.backward(gradient=torch.full_like(out, 1 / out.numel()))
    return x.grad


net = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 4))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
crit = HardExamples(k=5)
x, y = torch.randn(16, 6), torch.randint(0, 4, (16,))
for _ in range(4):
    loss, items = crit(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
value = nn.Linear(6, 1)
single = value(x[:1])
single.backward()
print(items.max().item(), saliency(net, x).shape, per_output(net, x).norm().item())
