import argparse
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class TextCNN(nn.Module):
    def __init__(self, vocab=200, dim=32, classes=4):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.convs = nn.ModuleList(nn.Conv1d(dim, 24, k, padding=k // 2) for k in (3, 5, 7))
        self.drop = nn.Dropout(0.3)
        self.out = nn.Linear(24 * 3, classes)

    def forward(self, tokens):
        x = self.embed(tokens).transpose(1, 2)
        feats = [torch.relu(c(x)).amax(dim=2) for c in self.convs]
        return self.out(self.drop(torch.cat(feats, dim=1)))


class Trainer:
    def __init__(self, args):
        self.args = args
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = self._wrap(TextCNN())
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=args.lr)

    def _wrap(self, model):
        n_gpu = torch.cuda.device_count()
        model.to(self.device)
        if self.args.multi_gpu and n_gpu > 1:
            print(f"Let's use {n_gpu} GPUs!")
            model = nn.DataParallel(model)
        return model

    def fit(self, loader):
        self.model.train()
        for epoch in range(self.args.epochs):
            start = time.time()
            for tokens, labels in loader:
                tokens = tokens.to(self.device)
                labels = labels.to(self.device)
                loss = self.criterion(self.model(tokens), labels)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            print(f"[{epoch}] loss {loss.item():.3f} in {time.time() - start:.1f}s")


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--batch-size", type=int, default=16)
    p.add_argument("--epochs", type=int, default=1)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--multi-gpu", action="store_true")
    return p.parse_args()


if __name__ == "__main__":
    args = parse()
    data = TensorDataset(torch.randint(1, 200, (32, 20)), torch.randint(0, 4, (32,)))
    Trainer(args).fit(DataLoader(data, batch_size=args.batch_size, shuffle=True))
