import argparse
import logging

import torch
from torch.utils.data import DataLoader, TensorDataset

from gan import WGAN

logging.basicConfig(level=logging.INFO)
logger = logging.getLogger("wgan")


def get_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--n-critic", type=int, default=2)
    return parser.parse_args()


def main():
    args = get_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    loader = DataLoader(TensorDataset(torch.randn(32, 8)), batch_size=args.batch_size, shuffle=True)
    model = WGAN(n_critic=args.n_critic, device=device)
    for epoch in range(args.epochs):
        for real, in loader:
            logs = model.step(real.to(device))
        logger.info("epoch %d %s", epoch, logs)


if __name__ == "__main__":
    main()
