import torch
from torch import nn


class PCGrad:
    """Projects conflicting task gradients; walks one graph once per task."""

    def __init__(self, optimizer):
        self.optimizer = optimizer

    @property
    def params(self):
        return [p for g in self.optimizer.param_groups for p in g["params"]]

    def backward(self, losses):
        flat = []
        for i, loss in enumerate(losses):
            self.optimizer.zero_grad()
            loss.backward(retain_graph=i < len(losses) - 1)
            flat.append(torch.cat([(torch.zeros_like(p) if p.grad is None else p.grad).flatten() for p in self.params]))
        projected = [g.clone() for g in flat]
        for g in projected:
            for other in flat:
                dot = g @ other
                if dot < 0:
                    g -= dot / other.pow(2).sum().clamp(min=1e-12) * other
        total, offset = sum(projected), 0
        for p in self.params:
            p.grad = total[offset : offset + p.numel()].view_as(p).clone()
            offset += p.numel()

    def step(self):
        self.optimizer.step()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    trunk = nn.Sequential(nn.Linear(5, 12), nn.Tanh()).to(device)
    heads = nn.ModuleList([nn.Linear(12, 1), nn.Linear(12, 1)]).to(device)
    optimizer = PCGrad(torch.optim.SGD([*trunk.parameters(), *heads.parameters()], lr=0.05))
    for _ in range(3):
        x = torch.randn(16, 5, device=device)
        h = trunk(x)
        targets = (x.sum(1, keepdim=True), -x[:, :1])
        losses = [nn.functional.mse_loss(head(h), t) for head, t in zip(heads, targets)]
        optimizer.backward(losses)
        optimizer.step()
        print([round(v.item(), 3) for v in losses])


if __name__ == "__main__":
    main()
