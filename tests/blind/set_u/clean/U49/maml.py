import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call

from tasks import sinusoid


class Learner(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def forward(self, x):
        return self.net(x)


def adapt(model, support, lr, steps, second_order):
    x, y = support
    weights = dict(model.named_parameters())
    for _ in range(steps):
        loss = F.mse_loss(functional_call(model, weights, (x,)), y)
        grads = torch.autograd.grad(loss, list(weights.values()), create_graph=second_order)
        weights = {k: w - lr * g for (k, w), g in zip(weights.items(), grads)}
    return weights


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--inner-lr", type=float, default=0.01)
    ap.add_argument("--inner-steps", type=int, default=2)
    ap.add_argument("--second-order", action="store_true")
    args = ap.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Learner().to(device)
    meta = torch.optim.Adam(model.parameters(), lr=1e-3)
    for it in range(4):
        meta.zero_grad()
        total = 0.0
        for _ in range(3):
            support, (xq, yq) = sinusoid(device)
            fast = adapt(model, support, args.inner_lr, args.inner_steps, args.second_order)
            loss = F.mse_loss(functional_call(model, fast, (xq,)), yq)
            (loss / 3).backward()
            total += loss.item()
        meta.step()
        print(it, total / 3)


if __name__ == "__main__":
    main()
