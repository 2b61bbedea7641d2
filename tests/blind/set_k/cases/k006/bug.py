import time
from contextlib import contextmanager

import torch
import torch.nn as nn


class Profile:
    def __init__(self, device):
        self.device = torch.device(device)
        self.records = {}

    @contextmanager
    def section(self, name):
        start = time.perf_counter()
        try:
            yield
        finally:
            if self.device.type == "cuda":
                torch.cuda.clear_memory_cache()
            self.records.setdefault(name, []).append(time.perf_counter() - start)

    def summary(self):
        return {k: sum(v) / len(v) for k, v in self.records.items()}


class Tagger(nn.Module):
    def __init__(self, vocab=50, dim=24, tags=5):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.conv = nn.Conv1d(dim, dim, 3, padding=1)
        self.out = nn.Linear(dim, tags)

    def forward(self, ids):
        h = self.conv(self.emb(ids).transpose(1, 2)).relu()
        return self.out(h.transpose(1, 2))


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    profile = Profile(device)
    model = Tagger().to(device)
    optimizer = torch.optim.Adam(model.parameters())
    criterion = nn.CrossEntropyLoss()
    for epoch in range(2):
        with profile.section("train"):
            for _ in range(3):
                ids = torch.randint(0, 50, (4, 9), device=device)
                tags = ids % 5
                optimizer.zero_grad()
                loss = criterion(model(ids).flatten(0, 1), tags.flatten())
                loss.backward()
                optimizer.step()
        with profile.section("eval"), torch.no_grad():
            ids = torch.randint(0, 50, (16, 9), device=device)
            hits = (model(ids).argmax(-1) == ids % 5).float().mean().item()
        print(epoch, f"{hits:.2f}")
    print(profile.summary())


if __name__ == "__main__":
    main()
