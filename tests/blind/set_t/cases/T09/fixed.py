import random
import torch
from torch import nn
import torch.nn.functional as F


class Curriculum:
    """Length-based curriculum: each stage allows longer sequences."""

    def __init__(self, stages, per_stage):
        self.stages = stages
        self.per_stage = per_stage

    def __iter__(self):
        for max_len in self.stages:
            yield max_len, self.batches(max_len)

    def batches(self, max_len):
        for _ in range(self.per_stage):
            n = random.randint(2, max_len)
            x = torch.randint(0, 10, (8, n))
            yield x, x.sum(1) % 10


class Adder(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.emb = nn.Embedding(10, 16)
        self.rnn = nn.LSTM(16, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 10)

    def forward(self, x):
        _, (h, _) = self.rnn(self.emb(x))
        return self.head(h[-1])


def update(model, optimizer, x, y):
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item()


def run(stages=(4, 8), per_stage=4):
    model = Adder()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    log = []
    for max_len, batches in Curriculum(stages, per_stage):
        for group in optimizer.param_groups:
            group["lr"] = 1e-3 * 4 / max_len
        total = 0.0
        for x, y in batches:
            total += update(model, optimizer, x, y)
        log.append((max_len, total / per_stage))
    return model, optimizer, log


if __name__ == "__main__":
    random.seed(0)
    torch.manual_seed(0)
    model, optimizer, log = run()
    for max_len, loss in log:
        print(f"len<={max_len}: {loss:.3f}")
