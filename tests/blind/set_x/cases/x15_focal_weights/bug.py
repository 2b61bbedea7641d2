"""Class-balanced focal loss on an imbalanced problem."""
import argparse

import torch
from torch import nn
import torch.nn.functional as F


def effective_number(counts, beta=0.99):
    num = 1.0 - torch.pow(beta, torch.tensor(counts, dtype=torch.float32))
    weights = (1.0 - beta) / num
    return weights / weights.sum() * len(counts)


class BalancedFocalLoss(nn.Module):
    def __init__(self, counts, gamma=2.0):
        super().__init__()
        self.gamma = gamma
        self.counts = list(counts)
        self.register_buffer("alpha", effective_number(counts))

    def one_hot(self, target):
        eye = torch.eye(len(self.counts)).cuda()
        return eye[target]

    def forward(self, logits, target):
        log_p = F.log_softmax(logits, dim=-1)
        picked = (log_p * self.one_hot(target)).sum(dim=-1)
        focal = (1 - picked.exp()).pow(self.gamma)
        return -(self.alpha[target] * focal * picked).mean()


def get_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", choices=["cpu", "cuda"])
    parser.add_argument("--iters", type=int, default=4)
    return parser.parse_args()


def main(args):
    device = torch.device(args.device)
    counts = [500, 60, 8]
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3)).to(device)
    criterion = BalancedFocalLoss(counts).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    probs = torch.tensor(counts, dtype=torch.float32)
    for _ in range(args.iters):
        y = torch.multinomial(probs, 16, replacement=True).to(device)
        x = torch.randn(16, 10, device=device) + y.unsqueeze(1)
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    return model


if __name__ == "__main__":
    main(get_args())
