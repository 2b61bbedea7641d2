import argparse

import numpy as np
import torch
from torch import nn

from matching import Matcher, SetCriterion


class QueryNet(nn.Module):
    def __init__(self, queries=4, dim=16, classes=3):
        super().__init__()
        self.queries = nn.Parameter(torch.randn(queries, dim))
        self.enc = nn.Linear(12, dim)
        self.att = nn.MultiheadAttention(dim, 2, batch_first=True)
        self.cls, self.box = nn.Linear(dim, classes + 1), nn.Linear(dim, 4)

    def forward(self, x):
        mem = self.enc(x)
        q = self.queries.expand(len(x), -1, -1)
        h = q + self.att(q, mem, mem, need_weights=False)[0]
        return {"logits": self.cls(h), "boxes": self.box(h).sigmoid()}


def batch(n, device):
    x = torch.randn(n, 5, 12, device=device)
    targets = [{"labels": torch.randint(0, 3, (k,), device=device), "boxes": torch.rand(k, 4, device=device)}
               for k in (1 + i % 2 for i in range(n))]
    return x, targets


def to_report(outputs):
    scores = outputs["logits"].detach().softmax(-1).cpu().numpy()
    return {"top": scores[..., :-1].max(-1).round(3).tolist(), "mean": float(np.mean(scores))}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=3)
    p.add_argument("--lr", type=float, default=1e-3)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, criterion = QueryNet().to(device), SetCriterion(3, Matcher())
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for step in range(args.steps):
        x, targets = batch(3, device)
        outputs = model(x)
        parts = criterion(outputs, targets)
        loss = parts["cls"] + 5 * parts["box"]
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()
        print(step, {k: round(v.item(), 4) for k, v in parts.items()}, to_report(outputs)["mean"])


if __name__ == "__main__":
    main()
