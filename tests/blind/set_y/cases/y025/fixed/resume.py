import os
import tempfile

import torch
from torch import nn

from checkpoint import load_checkpoint, save_checkpoint


class Tagger(nn.Module):
    def __init__(self, vocab=40, tags=6):
        super().__init__()
        self.emb = nn.Embedding(vocab, 16, padding_idx=0)
        self.rnn = nn.GRU(16, 16, bidirectional=True, batch_first=True)
        self.out = nn.Linear(32, tags)

    def forward(self, ids):
        return self.out(self.rnn(self.emb(ids))[0])


def run_epoch(model, opt, device, steps=3):
    model.train()
    total = 0.0
    for _ in range(steps):
        ids = torch.randint(1, 40, (4, 9), device=device)
        tags = ids % 6
        loss = nn.functional.cross_entropy(model(ids).transpose(1, 2), tags)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    return total / steps


def main(workdir, epochs):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Tagger().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    path = os.path.join(workdir, "last.pt")
    start, best = load_checkpoint(path, model, opt, device)
    for epoch in range(start, epochs):
        loss = run_epoch(model, opt, device)
        best = min(best, loss)
        save_checkpoint(path, model, opt, epoch, best)
        print(epoch, loss)
    return start


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as d:
        main(d, 2)
        assert main(d, 3) == 2
