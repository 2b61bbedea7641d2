import argparse
import logging

import torch
from torch import nn
import torch.nn.functional as F

from containers import BatchDict, Normalizer

logger = logging.getLogger(__name__)


class Model(nn.Module):
    def __init__(self, dim=6, actions=3):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 16), nn.ReLU())
        self.pi, self.v = nn.Linear(16, actions), nn.Linear(16, 1)

    def forward(self, x):
        h = self.net(x)
        return BatchDict(logits=self.pi(h), value=self.v(h).squeeze(-1))


def expert_batches(n, size=8):
    for _ in range(n):
        obs = torch.randn(size, 6) * 3 + 1
        yield BatchDict(obs=obs, action=obs[:, :3].argmax(1), ret=obs.sum(1), source="expert")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=3)
    p.add_argument("--lr", type=float, default=1e-2)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, norm = Model(), Normalizer(6)
    model.to(device)
    norm.to(device)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    kept = []
    for batch in expert_batches(args.steps):
        batch.to(device)
        norm.update(batch["obs"])
        out = model(norm(batch["obs"]))
        loss = F.cross_entropy(out["logits"], batch["action"]) + 0.5 * F.mse_loss(out["value"], batch["ret"])
        opt.zero_grad()
        loss.backward()
        opt.step()
        out.detach()
        kept.append(out["value"].mean())
        logger.info("%s %s %.3f", batch["source"], batch.device, loss.item())
    print(torch.stack(kept).tolist())


if __name__ == "__main__":
    main()
