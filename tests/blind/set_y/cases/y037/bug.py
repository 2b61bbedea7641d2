import torch
from torch import nn


class GradReverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lambd):
        ctx.lambd = lambd
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg() * ctx.lambd


class DANN(nn.Module):
    def __init__(self, dim=10, hidden=24, classes=3):
        super().__init__()
        self.feature = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU())
        self.label_clf = nn.Linear(hidden, classes)
        self.domain_clf = nn.Sequential(nn.Linear(hidden, 12), nn.ReLU(), nn.Linear(12, 2))

    def forward(self, x, alpha):
        f = self.feature(x)
        return self.label_clf(f), self.domain_clf(GradReverse.apply(f, alpha))


def schedule(p):
    return 2.0 / (1.0 + pow(2.718281828, -10 * p)) - 1


def main(n_steps=4):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = DANN().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
    ce = nn.CrossEntropyLoss()
    for step in range(n_steps):
        alpha = schedule(step / n_steps)
        src = torch.randn(16, 10, device=device)
        src_y = torch.randint(0, 3, (16,), device=device)
        tgt = torch.randn(16, 10, device=device) + 1.0

        cls, dom_s = model(src, alpha)
        _, dom_t = model(tgt, alpha)
        loss = ce(cls, src_y)
        loss = loss + ce(dom_s, torch.zeros(16, dtype=torch.long, device=device))
        loss = loss + ce(dom_t, torch.ones(16, dtype=torch.long, device=device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{step} alpha={alpha:.2f} loss={loss.item():.3f}")


if __name__ == "__main__":
    main()
