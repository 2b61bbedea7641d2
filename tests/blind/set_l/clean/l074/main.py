import tempfile

import torch
import torch.nn as nn

from trainer import Trainer


def build():
    return nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    batches = [(torch.randn(8, 4), torch.randn(8, 1)) for _ in range(4)]
    with tempfile.TemporaryDirectory() as folder:
        Trainer(build(), folder, device).fit(batches, 2)
        again = Trainer(build(), folder, device)
        print("resumed", again.load(), again.epoch)
        print(again.fit(batches, 4))


if __name__ == "__main__":
    main()
