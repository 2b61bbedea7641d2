import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split


class Metrics:
    def __init__(self, classes):
        self.confusion = torch.zeros(classes, classes, dtype=torch.long)

    def update(self, pred, target):
        for t, p in zip(target.tolist(), pred.tolist()):
            self.confusion[t, p] += 1

    @property
    def accuracy(self):
        return self.confusion.diag().sum().item() / max(1, self.confusion.sum().item())

    @property
    def recall(self):
        return (self.confusion.diag() / self.confusion.sum(1).clamp_min(1)).mean().item()


class TextCNN(nn.Module):
    def __init__(self, vocab=60, dim=16, classes=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.convs = nn.ModuleList([nn.Conv1d(dim, 8, k, padding=k // 2) for k in (3, 5)])
        self.drop = nn.Dropout(0.2)
        self.fc = nn.Linear(16, classes)

    def forward(self, ids):
        e = self.emb(ids).transpose(1, 2)
        pooled = [F.relu(c(e)).amax(-1) for c in self.convs]
        return self.fc(self.drop(torch.cat(pooled, 1)))


def run_epoch(model, loader, optimizer):
    model.train()
    for ids, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(ids), y).backward()
        optimizer.step()


@torch.no_grad()
def validate(model, loader, classes):
    model.eval()
    metrics, loss, n = Metrics(classes), 0.0, 0
    for ids, y in loader:
        logits = model(ids)
        loss += F.cross_entropy(logits, y, reduction="sum").item()
        metrics.update(logits.argmax(1), y)
        n += y.numel()
    return loss / n, metrics


def main(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--batch-size", type=int, default=16)
    args = ap.parse_args(argv)
    torch.manual_seed(0)
    data = TensorDataset(torch.randint(1, 60, (80, 12)), torch.randint(0, 3, (80,)))
    train_set, valid_set = random_split(data, [64, 16])
    train = DataLoader(train_set, args.batch_size, shuffle=True)
    valid = DataLoader(valid_set, args.batch_size)
    model = TextCNN()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(args.epochs):
        run_epoch(model, train, optimizer)
        loss, m = validate(model, valid, 3)
        print(f"{epoch}: {loss:.3f} acc {m.accuracy:.2f} recall {m.recall:.2f}")


if __name__ == "__main__":
    main()
