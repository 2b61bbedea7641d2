import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from trainer import Trainer


def build_model(width=16):
    return nn.Sequential(nn.Linear(6, width), nn.SiLU(), nn.Linear(width, 3))


def get_parser():
    parser = argparse.ArgumentParser()
    parser.add_argument("--amp-off", action="store_true")
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--clip", type=float, default=1e6)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--log-interval", type=int, default=10)
    return parser


if __name__ == "__main__":
    args = get_parser().parse_args()
    trainer = Trainer(build_model(), args)
    ds = TensorDataset(torch.randn(32, 6), torch.randint(0, 3, (32,)))
    trainer.fit(DataLoader(ds, batch_size=8, shuffle=True))
