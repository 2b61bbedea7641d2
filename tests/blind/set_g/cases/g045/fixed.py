import torch
import torch.nn as nn
import torch.nn.functional as F


class FocalLogits(torch.autograd.Function):
    """exp(-gamma * x) * x with a hand written derivative."""

    @staticmethod
    def forward(ctx, x, gamma):
        weight = torch.exp(-gamma * x)
        ctx.save_for_backward(x, weight)
        ctx.gamma = gamma
        return weight * x

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad = weight * (1 - ctx.gamma * x)
        return grad_output * grad, None


class FocalLoss(nn.Module):
    def __init__(self, gamma=0.5):
        super().__init__()
        self.gamma = gamma

    def forward(self, logits, target):
        ce = F.cross_entropy(logits, target, reduction="none")
        return FocalLogits.apply(ce, self.gamma).mean()


def batches(device, n=3):
    for _ in range(n):
        x = torch.randn(16, 7, device=device)
        yield x, (x[:, 0] > 1.0).long()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(7, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
    criterion = FocalLoss(gamma=0.3)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in batches(device):
        opt.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        opt.step()
        print(loss.item())


if __name__ == "__main__":
    main()
