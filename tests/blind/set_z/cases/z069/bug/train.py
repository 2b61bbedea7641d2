import argparse
import logging

import torch
import torch.nn.functional as F

from modeling import SequenceModel

logger = logging.getLogger("seq")


@torch.no_grad()
def describe(model, shape):
    """Parameter count and output shape, from a dry run before training."""
    training = model.training
    model.eval()
    out = model(torch.zeros(1, *shape))
    model.train(training)
    return {"params": sum(p.numel() for p in model.parameters()), "out": tuple(out.shape[1:])}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--length", type=int, default=9)
    p.add_argument("--steps", type=int, default=2)
    p.add_argument("--lr", type=float, default=1e-3)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SequenceModel()
    print(describe(model, (args.length, 4)))
    model = model.to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for step in range(args.steps):
        x = torch.randn(4, args.length, 4).to(device)
        y = torch.randint(0, 3, (4,)).to(device)
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        logger.info("%d %.4f", step, loss.item())


if __name__ == "__main__":
    main()
