import logging

import torch
import torch.nn as nn
import torch.nn.functional as F

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("adapter")


class Adapter(nn.Module):
    def __init__(self, dim, bottleneck=4):
        super().__init__()
        self.down, self.up = nn.Linear(dim, bottleneck), nn.Linear(bottleneck, dim)
        nn.init.zeros_(self.up.weight)
        nn.init.zeros_(self.up.bias)

    def forward(self, x):
        return x + self.up(F.relu(self.down(x)))


class AdaptedEncoder(nn.Module):
    def __init__(self, vocab=50, dim=16, layers=2, classes=3):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(dim, 2, 32, batch_first=True) for _ in range(layers))
        self.adapters = nn.ModuleList(Adapter(dim) for _ in range(layers))
        self.cls = nn.Linear(dim, classes)

    def forward(self, ids):
        x = self.embed(ids)
        for layer, adapter in zip(self.layers, self.adapters):
            x = adapter(layer(x))
        return self.cls(x.mean(dim=1))


def select(model, keywords=("adapters", "cls")):
    """Freeze everything but the named parts and hand back what is left to train."""
    for name, p in model.named_parameters():
        p.requires_grad_(name.startswith(tuple(keywords)))
    return [p for p in model.parameters() if p.requires_grad]


def describe(params, model):
    n = sum(p.numel() for p in params)
    total = sum(p.numel() for p in model.parameters())
    log.info("training %d of %d parameters (%.1f%%)", n, total, 100 * n / total)


def main(lr=1e-3, steps=3):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = AdaptedEncoder().to(device)
    params = select(model)
    describe(params, model)
    optimizer = torch.optim.AdamW(params, lr=lr)
    for step in range(steps):
        ids = torch.randint(0, 50, (8, 7), device=device)
        y = torch.randint(0, 3, (8,), device=device)
        loss = F.cross_entropy(model(ids), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log.info("step %d loss %.4f", step, loss.item())


if __name__ == "__main__":
    main()
