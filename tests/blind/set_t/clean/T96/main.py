import argparse
import torch
from torch import nn
import torch.nn.functional as F
from loop import MixedPrecisionLoop


class Mixer(nn.Module):
    def __init__(self, patches=16, dim=24, depth=2):
        super().__init__()
        self.embed = nn.Conv2d(3, dim, 4, stride=4)
        self.token = nn.ModuleList(nn.Sequential(nn.Linear(patches, 32), nn.GELU(), nn.Linear(32, patches)) for _ in range(depth))
        self.channel = nn.ModuleList(nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 48), nn.GELU(), nn.Linear(48, dim)) for _ in range(depth))
        self.head = nn.Linear(dim, 5)

    def forward(self, x):
        h = self.embed(x).flatten(2)
        for token, channel in zip(self.token, self.channel):
            h = h + token(h)
            h = h + channel(h.transpose(1, 2)).transpose(1, 2)
        return self.head(h.mean(-1))


def batches(n):
    for _ in range(n):
        y = torch.randint(0, 5, (8,))
        yield torch.rand(8, 3, 16, 16) + 0.2 * y.view(-1, 1, 1, 1), y


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=20)
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = p.parse_args()
    torch.manual_seed(0)
    model = Mixer().to(args.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loop = MixedPrecisionLoop(model, optimizer, args.device)
    print(loop.run(batches(args.steps), F.cross_entropy))


if __name__ == "__main__":
    main()
