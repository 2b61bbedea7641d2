import argparse
from collections import deque

import torch
from torch.utils.data import DataLoader, TensorDataset

from infogan import InfoGAN


class Window:
    def __init__(self, n=10):
        self.rows = deque(maxlen=n)

    def add(self, row):
        self.rows.append(row)

    def mean(self):
        return {k: round(sum(r[k] for r in self.rows) / len(self.rows), 4) for k in self.rows[0]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=8)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    centers = torch.tensor([[2.0, 0.0], [-1.0, 1.7], [-1.0, -1.7]])
    data = centers[torch.arange(48) % 3] + 0.1 * torch.randn(48, 2)
    gan, window = InfoGAN(2, device), Window()
    for epoch in range(args.epochs):
        for real, in DataLoader(TensorDataset(data), args.batch_size, shuffle=True, drop_last=True):
            window.add(gan.step(real.to(device)))
        print(epoch, window.mean())
    with torch.no_grad():
        samples, codes = gan.G.draw(4)
    print(samples.cpu().numpy().round(2).tolist(), codes.tolist())


if __name__ == "__main__":
    main()
