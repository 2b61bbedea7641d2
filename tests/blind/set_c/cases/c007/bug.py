from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class TrainConfig:
    epochs: int = 5
    batch_size: int = 4
    lr: float = 1e-3
    grad_clip: float = 1.0


def synthetic(n, vocab, tags, length=6):
    words = torch.randint(1, vocab, (n, length))
    return DataLoader(TensorDataset(words, words % tags), batch_size=4)


class Tagger(nn.Module):
    def __init__(self, vocab, tags, dim=16):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.LSTM(dim, dim, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * dim, tags)

    def forward(self, words):
        h, _ = self.rnn(self.emb(words))
        return self.out(h)


class Trainer:
    def __init__(self, config, model):
        self.config = config
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=config.lr)
        self.criterion = nn.CrossEntropyLoss()

    def train_epoch(self, loader):
        self.model.train()
        for words, tags in loader:
            words, tags = words.to(self.device), tags.to(self.device)
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(words).transpose(1, 2), tags)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.config.grad_clip)
            self.optimizer.step()

    def evaluate(self, loader):
        self.model.eval()
        correct, total, loss_sum = 0, 0, 0.0
        for words, tags in loader:
            words, tags = words.to(self.device), tags.to(self.device)
            logits = self.model(words)
            loss_sum += self.criterion(logits.transpose(1, 2), tags).item()
            correct += (logits.argmax(-1) == tags).sum().item()
            total += tags.numel()
        return loss_sum / len(loader), correct / total

    def fit(self, train_loader, dev_loader):
        best = 0.0
        for epoch in range(self.config.epochs):
            self.train_epoch(train_loader)
            loss, acc = self.evaluate(dev_loader)
            best = max(best, acc)
            print(f"epoch {epoch}: dev loss {loss:.3f} acc {acc:.3f} best {best:.3f}")
