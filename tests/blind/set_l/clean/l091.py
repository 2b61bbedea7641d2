import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call


class HyperWeights(nn.Module):
    """Learns per-example weights by looking one step ahead on clean data."""

    def __init__(self, n):
        super().__init__()
        self.logit = nn.Parameter(torch.zeros(n))

    def forward(self, idx):
        return torch.sigmoid(self.logit[idx])


class LookAhead:
    def __init__(self, model, hyper, lr=0.2, hyper_lr=0.5):
        self.model, self.hyper, self.lr = model, hyper, lr
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)
        self.hyper_opt = torch.optim.Adam(hyper.parameters(), lr=hyper_lr)

    def weighted(self, params, x, y, idx):
        each = F.cross_entropy(functional_call(self.model, params, (x,)), y, reduction="none")
        return (self.hyper(idx) * each).mean()

    def hyper_step(self, train, clean):
        params = dict(self.model.named_parameters())
        inner = self.weighted(params, *train)
        grads = torch.autograd.grad(inner, tuple(params.values()), create_graph=True)
        ahead = {k: v - self.lr * g for (k, v), g in zip(params.items(), grads)}
        outer = F.cross_entropy(functional_call(self.model, ahead, (clean[0],)), clean[1])
        (g,) = torch.autograd.grad(outer, [self.hyper.logit])
        self.hyper.logit.grad = g
        self.hyper_opt.step()
        return outer.item()

    def model_step(self, x, y, idx):
        with torch.no_grad():
            w = self.hyper(idx)
        loss = (w * F.cross_entropy(self.model(x), y, reduction="none")).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


x = torch.randn(60, 4)
truth = (x[:, 0] > 0).long()
noisy = truth.clone()
noisy[:20] = 1 - noisy[:20]
clean_x = torch.randn(30, 4)
clean = clean_x, (clean_x[:, 0] > 0).long()
hyper = HyperWeights(60)
runner = LookAhead(nn.Linear(4, 2), hyper)
for epoch in range(4):
    for idx in torch.randperm(60).split(20):
        batch = x[idx], noisy[idx], idx
        outer = runner.hyper_step(batch, clean)
        inner = runner.model_step(*batch)
    print(epoch, round(outer, 3), round(inner, 3))
with torch.no_grad():
    w = torch.sigmoid(hyper.logit)
    print(w[:20].mean().item(), w[20:].mean().item())
