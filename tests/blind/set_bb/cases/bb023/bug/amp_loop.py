import argparse
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from engine import Scaled


class Mixer(nn.Module):
    def __init__(self, tokens=6, dim=12, classes=3):
        super().__init__()
        self.tok = nn.Sequential(nn.LayerNorm(tokens), nn.Linear(tokens, tokens), nn.GELU())
        self.chan = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        x = x + self.tok(x.transpose(1, 2)).transpose(1, 2)
        x = x + self.chan(x)
        return self.head(x.mean(1))


def train(args):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    dtype = torch.float16 if device.type == "cuda" else torch.bfloat16
    model = Mixer().to(device)
    apply_step = Scaled(torch.optim.AdamW(model.parameters(), lr=args.lr), device)
    ds = TensorDataset(torch.randn(64, 6, 12), torch.randint(0, 3, (64,)))
    crit = nn.CrossEntropyLoss()
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for x, y in DataLoader(ds, batch_size=16, shuffle=True):
            x, y = x.to(device), y.to(device)
            with torch.autocast(device.type, dtype=dtype):
                loss = crit(model(x), y)
            apply_step(loss)
            total += loss.item()
        print(epoch, total, "scale", apply_step.end_of_epoch())
    return apply_step.state_dict()


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--lr", type=float, default=1e-3)
    train(ap.parse_args())
