import torch
import torch.nn as nn
import torch.nn.functional as F


class GradNorm:
    """Balances task weights by the gradient norms at the shared layer."""

    def __init__(self, n_tasks, alpha=0.5, lr=0.02):
        self.w = torch.ones(n_tasks)
        self.alpha, self.lr = alpha, lr
        self.start = None

    def norms(self, losses, shared):
        out = []
        for loss in losses:
            (g,) = torch.autograd.grad(loss, [shared], retain_graph=True)
            out.append(g.norm().item())
        return torch.tensor(out)

    def update(self, losses, shared):
        values = torch.tensor([l.item() for l in losses])
        if self.start is None:
            self.start = values
        g = self.norms(losses, shared)
        rate = (values / self.start) / (values / self.start).mean()
        target = g.mean() * rate ** self.alpha
        self.w = (self.w * (1 + self.lr * (target - g).sign())).clamp(min=0.05)
        self.w = self.w * len(self.w) / self.w.sum()
        return self.w.tolist()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Linear(6, 24)
        self.heads = nn.ModuleList([nn.Linear(24, 1), nn.Linear(24, 3)])

    def forward(self, x):
        h = F.relu(self.shared(x))
        return [head(h) for head in self.heads]


def task_losses(model, x):
    reg, cls = model(x)
    return F.mse_loss(reg.squeeze(1), x.sum(1)), F.cross_entropy(cls, x[:, :3].argmax(1))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, balance = Net().to(device), GradNorm(2)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(5):
        losses = task_losses(model, torch.randn(32, 6, device=device))
        weights = balance.update(losses, model.shared.weight)
        opt.zero_grad()
        sum(w * l for w, l in zip(weights, losses)).backward()
        opt.step()
    print([round(w, 3) for w in weights])


main()
