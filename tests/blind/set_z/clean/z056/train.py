import argparse
import logging

import torch
from torch import nn
import torch.nn.functional as F

from vq import VectorQuantizerEMA

logger = logging.getLogger("vq")


class VQVAE(nn.Module):
    def __init__(self, dim=10, code=4, **kw):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(dim, 16), nn.ReLU(), nn.Linear(16, code))
        self.vq = VectorQuantizerEMA(dim=code, **kw)
        self.dec = nn.Sequential(nn.Linear(code, 16), nn.ReLU(), nn.Linear(16, dim))

    def forward(self, x):
        q, commit, ppl = self.vq(self.enc(x))
        return self.dec(q), commit, ppl


def main(args):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = VQVAE(num_codes=args.codes).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    model.train()
    for step in range(args.steps):
        x = torch.randn(32, 10).to(device)
        recon, commit, ppl = model(x)
        loss = F.mse_loss(recon, x) + commit
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 2 == 0:
            logger.info("%d %.4f perplexity %.2f", step, loss.item(), ppl)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    p = argparse.ArgumentParser()
    p.add_argument("--codes", type=int, default=16)
    p.add_argument("--steps", type=int, default=4)
    p.add_argument("--lr", type=float, default=1e-3)
    main(p.parse_args())
