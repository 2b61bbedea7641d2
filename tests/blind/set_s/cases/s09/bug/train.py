from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F

from data import make_loader


@dataclass
class Config:
    epochs: int = 2
    batch_size: int = 6
    lr: float = 1e-3
    device: str = "cuda" if torch.cuda.is_available() else "cpu"


class BagOfWords(nn.Module):
    def __init__(self, vocab=100, dim=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.out = nn.Linear(dim, 2)

    def forward(self, ids, mask):
        weights = mask.unsqueeze(-1).float()
        return self.out((self.embed(ids) * weights).sum(1) / weights.sum(1))


def run(cfg):
    model = BagOfWords().to(cfg.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    loader = make_loader(cfg.batch_size)
    for epoch in range(cfg.epochs):
        for batch in loader:
            batch = batch.to(cfg.device)
            loss = F.cross_entropy(model(batch["ids"], batch["mask"]), batch["label"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    run(Config())
