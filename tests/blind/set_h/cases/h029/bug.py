import math

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class CopyTask(Dataset):
    """Sort short sequences of digits."""

    def __init__(self, n, length=6, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.src = torch.randint(0, 10, (n, length), generator=g)
        self.tgt = self.src.sort(dim=1).values

    def __len__(self):
        return len(self.src)

    def __getitem__(self, i):
        return self.src[i], self.tgt[i]


class Sorter(nn.Module):
    def __init__(self, dim=32, length=6):
        super().__init__()
        self.emb = nn.Embedding(10, dim)
        self.pos = nn.Parameter(torch.randn(length, dim) * 0.02)
        layer = nn.TransformerEncoderLayer(dim, 4, 64, dropout=0.2, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, 2)
        self.out = nn.Linear(dim, 10)

    def forward(self, x):
        return self.out(self.enc(self.emb(x) + self.pos))


class Trainer:
    def __init__(self, model, train_set, val_set, epochs=3):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.train_loader = DataLoader(train_set, batch_size=32, shuffle=True)
        self.val_loader = DataLoader(val_set, batch_size=64)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
        self.criterion = nn.CrossEntropyLoss()
        self.epochs = epochs
        self.best = math.inf

    def _loss(self, batch):
        src, tgt = (t.to(self.device) for t in batch)
        return self.criterion(self.model(src).flatten(0, 1), tgt.flatten())

    def train_epoch(self):
        total = 0.0
        for batch in self.train_loader:
            loss = self._loss(batch)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        return total / len(self.train_loader)

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        return sum(self._loss(b).item() for b in self.val_loader) / len(self.val_loader)

    def fit(self):
        self.model.train()
        for epoch in range(self.epochs):
            train_loss = self.train_epoch()
            val_loss = self.validate()
            self.best = min(self.best, val_loss)
            print(f"{epoch} train {train_loss:.3f} val {val_loss:.3f} best {self.best:.3f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    trainer = Trainer(Sorter(), CopyTask(128), CopyTask(64, seed=1))
    trainer.fit()
