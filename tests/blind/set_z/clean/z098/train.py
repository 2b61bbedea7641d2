import argparse
import logging
import sys

import torch
from torch import nn

from losses import Consistency, Entropy, Reconstruction, Total

logger = logging.getLogger("repr")


class Model(nn.Module):
    def __init__(self, dim=8, latent=4, k=3):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(dim, 12), nn.ReLU(), nn.Linear(12, latent))
        self.dec, self.assign = nn.Linear(latent, dim), nn.Linear(latent, k)

    def forward(self, batch):
        z = self.enc(batch["x"])
        other = batch.get("x2")
        return {"z": z, "recon": self.dec(z), "assign": self.assign(z),
                "z2": None if other is None else self.enc(other)}


def batches(n, device):
    for i in range(n):
        x = torch.randn(10, 8, device=device)
        yield {"x": x, "x2": x + 0.05 * torch.randn_like(x)} if i % 2 else {"x": x}


def setup_logging(level):
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(logging.Formatter("%(name)s %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(level.upper())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=4)
    p.add_argument("--cons", type=float, default=0.3)
    p.add_argument("--log-level", default="info")
    args = p.parse_args()
    setup_logging(args.log_level)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Model().to(device)
    criterion = Total(Reconstruction, Consistency, Entropy, cons=args.cons)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for step, batch in enumerate(batches(args.steps, device)):
        loss, logs = criterion(model(batch), batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        logger.info("%d %s", step, logs)


if __name__ == "__main__":
    main()
