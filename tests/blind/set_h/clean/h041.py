import torch
from torch import nn
import torch.nn.functional as F


class WeightedObjective:
    """Per-sample losses, weighted by importance, without forming the weighted sum."""

    def __init__(self, temperature=1.0):
        self.temperature = temperature

    def weights(self, losses):
        return torch.softmax(losses.detach() / self.temperature, dim=0)

    def __call__(self, losses):
        w = self.weights(losses)
        losses.backward(gradient=w)
        return (w * losses.detach()).sum()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(10, 32), nn.ReLU())
        self.cls = nn.Linear(32, 4)
        self.reg = nn.Linear(32, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.cls(h), self.reg(h)


def uncertainty(value, log_var):
    return value * torch.exp(-log_var) + log_var


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Net().to(device)
    log_var = nn.Parameter(torch.zeros(1, device=device))
    opt = torch.optim.Adam([*net.parameters(), log_var], lr=1e-3)
    objective = WeightedObjective(temperature=0.5)

    for step in range(9):
        x = torch.randn(16, 10, device=device)
        y, target = x[:, :4].argmax(1), x.sum(1, keepdim=True)
        logits, pred = net(x)
        opt.zero_grad()
        if step % 3 == 0:
            shown = objective(F.cross_entropy(logits, y, reduction="none"))
        elif step % 3 == 1:
            roots = [F.cross_entropy(logits, y, reduction="none"), pred]
            seeds = [torch.full((16,), 1 / 16, device=device), (pred - target).detach() / 16]
            torch.autograd.backward(roots, seeds)
            shown = roots[0].detach().mean()
        else:
            loss = uncertainty(F.mse_loss(pred, target), log_var)
            loss.backward()
            shown = loss.detach()
        opt.step()
        print(step, round(shown.item(), 4))

    probe = torch.randn(3, 10, device=device, requires_grad=True)
    _, out = net(probe)
    (vjp,) = torch.autograd.grad(out, probe, grad_outputs=torch.ones_like(out))
    print(vjp.shape)


if __name__ == "__main__":
    main()
