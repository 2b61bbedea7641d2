from dataclasses import dataclass, field

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class TaskConfig:
    hidden: int = 48
    tasks: dict = field(default_factory=lambda: {"topic": 6, "tone": 3, "spam": 2})
    steps: int = 15
    lr: float = 3e-3


class MultiTaskNet(nn.Module):
    def __init__(self, vocab, cfg):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab, cfg.hidden, mode="mean")
        self.trunk = nn.Sequential(nn.Linear(cfg.hidden, cfg.hidden), nn.ReLU(), nn.LayerNorm(cfg.hidden))
        self.heads = {}
        for name, classes in cfg.tasks.items():
            self.heads[name] = nn.Linear(cfg.hidden, classes)

    def forward(self, tokens):
        h = self.trunk(self.bag(tokens))
        return {name: head(h) for name, head in self.heads.items()}


def batches(cfg, vocab, n, size=16, length=12):
    for _ in range(n):
        tokens = torch.randint(0, vocab, (size, length))
        labels = {name: tokens.sum(1) % classes for name, classes in cfg.tasks.items()}
        yield tokens, labels


def train(cfg, vocab=100):
    model = MultiTaskNet(vocab, cfg)
    print(sum(p.numel() for p in model.parameters()), "weights")
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    for step, (tokens, labels) in enumerate(batches(cfg, vocab, cfg.steps)):
        logits = model(tokens)
        loss = sum(F.cross_entropy(logits[name], y) for name, y in labels.items())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 5 == 0:
            print(step, f"{loss.item():.4f}")
    return model


if __name__ == "__main__":
    net = train(TaskConfig())
