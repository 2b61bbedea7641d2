import torch
import torch.nn as nn
import torch.nn.functional as F


class GradientReversal(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.weight = weight
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.weight * grad, None


class DANN(nn.Module):
    def __init__(self, feats=6, hidden=24, classes=3):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(feats, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.label = nn.Linear(hidden, classes)
        self.domain = nn.Sequential(nn.Linear(hidden, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x, weight=1.0):
        h = self.features(x)
        return self.label(h), self.domain(GradientReversal.apply(h, weight)).squeeze(-1)


class DomainAdaptation:
    """Logs how strongly each objective pulls on the shared features."""

    def __init__(self, model, total_steps):
        self.model = model
        self.total_steps = total_steps
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
        self.pull = {"label": [], "domain": []}

    def weight(self, step):
        p = torch.tensor(step / self.total_steps)
        return (2 / (1 + torch.exp(-10 * p)) - 1).item()

    def step(self, step, source, label, target):
        n = len(source)
        logits, domain = self.model(torch.cat([source, target]), self.weight(step))
        where = torch.cat([torch.ones(n, device=source.device), torch.zeros(len(target), device=source.device)])
        label_loss = F.cross_entropy(logits[:n], label)
        domain_loss = F.binary_cross_entropy_with_logits(domain, where)

        shared = list(self.model.features.parameters())
        self.optimizer.zero_grad()
        label_loss.backward(retain_graph=True)
        self.pull["label"].append(sum(p.grad.square().sum() for p in shared).sqrt().item())
        before = [p.grad.clone() for p in shared]
        domain_loss.backward()
        self.pull["domain"].append(sum((p.grad - b).square().sum() for p, b in zip(shared, before)).sqrt().item())
        self.optimizer.step()


def domain(n, shift, device):
    x = torch.randn(n, 6, device=device)
    return x + shift, x[:, :3].argmax(1)


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    job = DomainAdaptation(DANN().to(device), 6)
    for step in range(6):
        xs, ys = domain(16, 0.0, device)
        xt, _ = domain(16, 0.8, device)
        job.step(step, xs, ys, xt)
    print({k: [round(v, 3) for v in vs] for k, vs in job.pull.items()})
