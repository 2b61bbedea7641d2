import torch
import torch.nn as nn
import torch.nn.functional as F


class HyperNet(nn.Module):
    """Produces the weights of a small target network from a task vector."""

    def __init__(self, task_dim, sizes=(3, 16, 1)):
        super().__init__()
        self.shapes = [s for a, b in zip(sizes, sizes[1:]) for s in ((b, a), (b,))]
        self.numels = [torch.Size(s).numel() for s in self.shapes]
        self.trunk = nn.Sequential(nn.Linear(task_dim, 32), nn.ReLU())
        self.heads = nn.ModuleList(nn.Linear(32, n) for n in self.numels)
        for h in self.heads:
            nn.init.normal_(h.weight, std=0.05)

    def forward(self, task):
        h = self.trunk(task)
        return [head(h).view(*shape) for head, shape in zip(self.heads, self.shapes)]


def run(params, x):
    it = iter(params)
    pairs = list(zip(it, it))
    for i, (w, b) in enumerate(pairs):
        x = F.linear(x, w, b)
        if i < len(pairs) - 1:
            x = torch.relu(x)
    return x.squeeze(-1)


class Tasks:
    def __init__(self, n, device):
        self.coef = torch.randn(n, 3, device=device)
        self.embedding = nn.Parameter(0.1 * torch.randn(n, 5, device=device))

    def batch(self, k, n=24):
        x = torch.randn(n, 3, device=self.coef.device)
        return x, torch.tanh(x @ self.coef[k])


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    tasks, hyper = Tasks(4, device), HyperNet(5).to(device)
    opt = torch.optim.Adam([{"params": hyper.parameters()}, {"params": [tasks.embedding], "lr": 1e-2}], lr=3e-3)
    frozen = {}
    for k in range(4):
        for step in range(10):
            params = hyper(tasks.embedding[k])
            x, y = tasks.batch(k)
            loss = F.mse_loss(run(params, x), y)
            reg = sum((a - b).square().sum() for j, old in frozen.items()
                      for a, b in zip(hyper(tasks.embedding[j].detach()), old))
            opt.zero_grad()
            (loss + 0.1 * reg).backward()
            opt.step()
        frozen[k] = [p.detach() for p in hyper(tasks.embedding[k])]
    with torch.no_grad():
        scores = [F.mse_loss(run(hyper(tasks.embedding[k]), x), y).item() for k in range(4) for x, y in [tasks.batch(k)]]
    print(loss.item(), scores)


if __name__ == "__main__":
    main()
