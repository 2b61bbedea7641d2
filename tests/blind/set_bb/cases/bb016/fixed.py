import torch
import torch.nn as nn
import torch.nn.functional as F


class HardTopK(torch.autograd.Function):
    """Keeps the k best scores of a row, passes a softmax-shaped gradient back."""

    @staticmethod
    def forward(ctx, scores, k, tau):
        idx = scores.topk(k, dim=-1).indices
        mask = torch.zeros_like(scores).scatter_(-1, idx, 1.0)
        ctx.save_for_backward(F.softmax(scores / tau, dim=-1))
        ctx.tau = tau
        return mask

    @staticmethod
    def backward(ctx, g):
        p, = ctx.saved_tensors
        inner = (g * p).sum(-1, keepdim=True)
        gs = p * (g - inner) / ctx.tau
        return gs, None, None


class FeatureGate(nn.Module):
    def __init__(self, n, k):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n))
        self.k = k
        self.tau = 1.0

    def anneal(self, rate):
        self.tau = max(0.1, self.tau * rate)

    def forward(self, x):
        noise = -torch.log(-torch.log(torch.rand_like(x).clamp(1e-6, 1 - 1e-6)))
        scores = self.logits + noise if self.training else self.logits.expand_as(x)
        return x * HardTopK.apply(scores, self.k, self.tau)


class Selector(nn.Module):
    def __init__(self, n=12, k=3):
        super().__init__()
        self.gate = FeatureGate(n, k)
        self.head = nn.Sequential(nn.Linear(n, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        return self.head(self.gate(x)).squeeze(-1)


def make_data(n=128, d=12):
    x = torch.randn(n, d)
    return x, x[:, 0] - 2 * x[:, 4] + 0.5 * x[:, 7]


def fit(model, x, y, epochs=3):
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for ep in range(epochs):
        model.train()
        for xb, yb in zip(x.split(32), y.split(32)):
            loss = F.mse_loss(model(xb), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
        model.gate.anneal(0.9)
    return model


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x, y = (t.to(device) for t in make_data())
model = fit(Selector().to(device), x, y)
print("picked", model.gate.logits.detach().topk(3).indices.tolist())
