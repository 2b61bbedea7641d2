import argparse

import torch
import torch.nn.functional as F

from optim import create_optimizer
from vit import ViT


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--opt", default="adamw")
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--weight-decay", type=float, default=0.05)
    p.add_argument("--steps", type=int, default=2)
    return p.parse_args()


def train(model, optimizer, steps, device):
    model.train()
    for step in range(steps):
        x = torch.randn(4, 3, 8, 8, device=device)
        y = torch.randint(0, 5, (4,), device=device)
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"[{step}] {loss.item():.4f}")


if __name__ == "__main__":
    args = get_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = ViT(device=device)
    train(model, create_optimizer(args, model), args.steps, device)
