import argparse

import torch
from torch import nn
import torch.nn.functional as F

from metrics import MetricLogger, RetrievalMetric


class Embedder(nn.Module):
    def __init__(self, dim=10, emb=6):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(dim, 16), nn.ReLU())
        self.emb = nn.Linear(16, emb)

    def forward(self, x):
        return F.normalize(self.emb(self.trunk(x)), dim=-1)


def triplet_loss(emb, ids, margin=0.2):
    dist = torch.cdist(emb, emb)
    same = ids[:, None] == ids[None, :]
    pos = (dist * same).max(1).values
    neg = dist.masked_fill(same, float("inf")).min(1).values
    return F.relu(pos - neg.clamp(max=10.0) + margin).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iters", type=int, default=4)
    parser.add_argument("--ids", type=int, default=3)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Embedder().to(device)
    opt = torch.optim.Adam(model.parameters(), 1e-2)
    logger, metric = MetricLogger(), RetrievalMetric()
    centers = torch.randn(args.ids, 10)
    for it in range(args.iters):
        ids = torch.randint(0, args.ids, (12,))
        x = centers[ids] + 0.1 * torch.randn(12, 10)
        x, ids = x.to(device), ids.to(device)
        emb = model(x)
        loss = triplet_loss(emb, ids)
        opt.zero_grad()
        loss.backward()
        opt.step()
        logger.log(loss=loss, norm=emb.norm(dim=1).mean())
        metric.update(emb, ids)
    print(logger.mean("loss"), metric.compute())


if __name__ == "__main__":
    main()
