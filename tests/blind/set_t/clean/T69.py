import random
import torch
from torch import nn
import torch.nn.functional as F


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU())
        self.heads = nn.ModuleDict({"depth": nn.Linear(16, 1), "normal": nn.Linear(16, 3), "edge": nn.Linear(16, 1)})

    def forward(self, x):
        h = self.trunk(x)
        return {k: head(h) for k, head in self.heads.items()}

    def shared(self):
        return list(self.trunk.parameters())


class PCGrad:
    """Projects conflicting task gradients before the step."""

    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer
        self.conflicts = 0

    def shared_gradient(self, loss, keep):
        grads = torch.autograd.grad(loss, self.model.shared(), retain_graph=keep)
        return torch.cat([g.flatten() for g in grads])

    def project(self, grads):
        out = []
        for i, g in enumerate(grads):
            g = g.clone()
            others = [h for j, h in enumerate(grads) if j != i]
            random.shuffle(others)
            for h in others:
                dot = g @ h
                if dot < 0:
                    self.conflicts += 1
                    g -= dot / h.square().sum() * h
            out.append(g)
        return torch.stack(out).sum(0)

    def step(self, losses):
        self.optimizer.zero_grad()
        grads = [self.shared_gradient(l, keep=True) for l in losses.values()]
        head_params = list(self.model.heads.parameters())
        sum(losses.values()).backward(inputs=head_params)
        merged = self.project(grads)
        position = 0
        for p in self.model.shared():
            p.grad = merged[position : position + p.numel()].view_as(p)
            position += p.numel()
        self.optimizer.step()


def task_losses(out, target):
    return {
        "depth": F.l1_loss(out["depth"], target["depth"]),
        "normal": 1 - F.cosine_similarity(out["normal"], target["normal"]).mean(),
        "edge": F.binary_cross_entropy_with_logits(out["edge"], target["edge"]),
    }


if __name__ == "__main__":
    random.seed(0)
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = MultiTask().to(device)
    pc = PCGrad(model, torch.optim.Adam(model.parameters(), lr=1e-3))
    for step in range(5):
        x = torch.randn(16, 8, device=device)
        target = {"depth": x[:, :1].abs(), "normal": x[:, 1:4], "edge": (x[:, 4:5] > 0).float()}
        losses = task_losses(model(x), target)
        pc.step(losses)
        print(step, {k: round(v.item(), 3) for k, v in losses.items()}, pc.conflicts)
