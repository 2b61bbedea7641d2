import math

import torch
from torch import nn
from torch.autograd import Function


class ReverseGradient(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg() * ctx.strength


class DANN(nn.Module):
    def __init__(self, dim=10, hidden=32, classes=3):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.label = nn.Linear(hidden, classes)
        self.domain = nn.Sequential(nn.Linear(hidden, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x, strength):
        z = self.encoder(x)
        return self.label(z), self.domain(ReverseGradient.apply(z, strength)).squeeze(1)


def schedule(progress):
    return 2.0 / (1.0 + math.exp(-10 * progress)) - 1


def domains(n, device):
    source = torch.randn(n, 10, device=device)
    target = torch.randn(n, 10, device=device) * 1.3 + 0.4
    return source, source[:, :3].argmax(1), target


def main(steps=10):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = DANN().to(device)
    ce, bce = nn.CrossEntropyLoss(), nn.BCEWithLogitsLoss()
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for step in range(steps):
        source, labels, target = domains(32, device)
        strength = schedule(step / steps)
        logits, d_source = model(source, strength)
        _, d_target = model(target, strength)
        domain = torch.cat([d_source, d_target])
        truth = torch.cat([torch.ones_like(d_source), torch.zeros_like(d_target)])
        loss = ce(logits, labels) + bce(domain, truth)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 5 == 0:
            print(f"step {step} strength {strength:.2f} loss {loss.item():.3f}")


if __name__ == "__main__":
    main()
