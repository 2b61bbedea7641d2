import argparse

import torch
from torch.utils.data import DataLoader, TensorDataset

from model import Pretrained
from trainer import Trainer


def build_dataset(n, classes):
    x = torch.randn(n, 8)
    return TensorDataset(x, torch.arange(n) % classes)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--classes", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=1e-2)
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    trainer = Trainer(Pretrained(), lr=args.lr, device=device)
    dataset = build_dataset(24, args.classes)
    trainer.adapt(args.classes)
    trainer.fit(DataLoader(dataset, batch_size=8, shuffle=True), args.epochs)
