"""Two-phase training: warm-up of the head, then everything."""
import torch
from torch import nn


class Phase:
    def __init__(self, name, params, lr, steps):
        self.name = name
        self.steps = steps
        self.optimizer = torch.optim.SGD(list(params), lr=lr)


class Curriculum:
    def __init__(self, model):
        self.model = model
        self.norms = []
        self.phases = [
            Phase("head", model.head.parameters(), 0.01, 3),
            Phase("all", model.parameters(), 0.001, 4),
        ]

    def batch(self):
        x = torch.ones(8, 5)
        return x, x.sum(dim=1, keepdim=True)

    def backward(self):
        x, y = self.batch()
        loss = nn.functional.mse_loss(self.model(x), y)
        loss.backward()
        return loss.detach()

    def grad_norm(self):
        return self.model.head.weight.grad.norm().item()

    def run_phase(self, phase):
        losses = []
        for _ in range(phase.steps):
            self.model.zero_grad()
            losses.append(self.backward())
            phase.optimizer.step()
        self.norms.append(self.grad_norm())
        return torch.stack(losses)

    def run(self):
        self.model.train()
        return {p.name: self.run_phase(p) for p in self.phases}


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 8), nn.Tanh())
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(self.body(x))


cur = Curriculum(Small())
report = cur.run()
print({k: v[-1].item() for k, v in report.items()})
