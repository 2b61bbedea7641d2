import torch
import torch.nn as nn
from torch.autograd.graph import saved_tensors_hooks


class HostOffload(saved_tensors_hooks):
    """Parks large activations in host memory between forward and backward."""

    def __init__(self, threshold=64):
        self.moved = 0

        def pack(t):
            if t.numel() < threshold or isinstance(t, nn.Parameter):
                return None, t
            self.moved += t.numel()
            return t.device, t.detach().cpu()

        def unpack(packed):
            device, t = packed
            return t if device is None else t.to(device)

        super().__init__(pack, unpack)


class Residual(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(d, 2 * d), nn.Linear(2 * d, d)

    def forward(self, x):
        return x + self.fc2(torch.sigmoid(self.fc1(x)))


class Stack(nn.Module):
    def __init__(self, d=16, n=3, offload=True):
        super().__init__()
        self.blocks = nn.ModuleList(Residual(d) for _ in range(n))
        self.head = nn.Linear(d, 1)
        self.offload = offload
        self.moved = 0

    def forward(self, x):
        for i, b in enumerate(self.blocks):
            if self.offload and self.training and i < len(self.blocks) - 1:
                with HostOffload() as hook:
                    x = b(x)
            else:
                x = b(x)
        return self.head(x).squeeze(-1)


def gradients(model, x, y):
    loss = nn.functional.mse_loss(model(x), y)
    return torch.autograd.grad(loss, tuple(model.parameters()))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Stack().to(device)
    x = torch.randn(20, 16, device=device)
    y = x.cos().sum(-1)
    with_hook = gradients(model, x, y)
    model.offload = False
    without = gradients(model, x, y)
    same = all(torch.allclose(a, b, atol=1e-6) for a, b in zip(with_hook, without))
    model.offload = True
    opt = torch.optim.SGD(model.parameters(), lr=1e-2)
    for _ in range(3):
        opt.zero_grad()
        for p, g in zip(model.parameters(), gradients(model, x, y)):
            p.grad = g
        opt.step()
    print(same)


if __name__ == "__main__":
    main()
