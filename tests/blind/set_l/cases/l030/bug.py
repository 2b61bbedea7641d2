import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiTask(nn.Module):
    def __init__(self, tasks, d=10, h=24):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(d, h), nn.ReLU(), nn.Linear(h, h), nn.Tanh())
        self.heads = nn.ModuleDict({name: nn.Linear(h, out) for name, out in tasks.items()})

    def forward(self, x):
        h = self.trunk(x)
        return {name: head(h) for name, head in self.heads.items()}


LOSSES = {
    "price": lambda out, y: F.smooth_l1_loss(out.squeeze(1), y),
    "kind": lambda out, y: F.cross_entropy(out, y),
    "sold": lambda out, y: F.binary_cross_entropy_with_logits(out.squeeze(1), y),
}


class Trainer:
    def __init__(self, model, weights):
        self.model = model
        self.weights = weights
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        self.history = []

    def compute(self, batch):
        outputs = self.model(batch["x"])
        return {k: LOSSES[k](outputs[k], batch[k]) for k in outputs}

    def apply(self, losses):
        self.optimizer.zero_grad()
        for name, loss in losses.items():
            (self.weights[name] * loss).backward()
        self.optimizer.step()

    def step(self, batch):
        losses = self.compute(batch)
        self.apply(losses)
        self.history.append({k: v.item() for k, v in losses.items()})


def synth(n=32):
    x = torch.randn(n, 10)
    return {"x": x, "price": x.sum(1), "kind": torch.randint(0, 3, (n,)), "sold": (x[:, 0] > 0).float()}


trainer = Trainer(MultiTask({"price": 1, "kind": 3, "sold": 1}), {"price": 0.2, "kind": 1.0, "sold": 1.0})
for _ in range(5):
    trainer.step(synth())
print(trainer.history[-1])
