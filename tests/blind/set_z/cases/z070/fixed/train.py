import argparse

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from amp import MixedPrecision


class TextCNN(nn.Module):
    def __init__(self, vocab=30, dim=8, classes=3, widths=(2, 3)):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.convs = nn.ModuleList(nn.Conv1d(dim, 6, w) for w in widths)
        self.fc = nn.Linear(6 * len(widths), classes)

    def forward(self, ids):
        x = self.emb(ids).transpose(1, 2)
        return self.fc(torch.cat([c(x).relu().amax(-1) for c in self.convs], dim=1))


def train_one_epoch(model, loader, optimizer, mp, args, device):
    model.train()
    for ids, y in loader:
        ids, y = ids.to(device), y.to(device)
        optimizer.zero_grad()
        with mp.cast():
            loss = F.cross_entropy(model(ids), y)
        mp.backward(loss)
        mp.optimizer_step(optimizer, model.parameters() if args.clip else None, args.clip)
    return loss.item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--clip", type=float, default=None)
    p.add_argument("--no-amp", dest="amp", action="store_false")
    p.add_argument("--epochs", type=int, default=1)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TextCNN().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    mp = MixedPrecision(device, enabled=args.amp)
    ds = TensorDataset(torch.randint(0, 30, (24, 7)), torch.randint(0, 3, (24,)))
    for epoch in range(args.epochs):
        loss = train_one_epoch(model, DataLoader(ds, 8, shuffle=True), optimizer, mp, args, device)
        print(epoch, loss, mp.state_dict()["enabled"])


if __name__ == "__main__":
    main()
