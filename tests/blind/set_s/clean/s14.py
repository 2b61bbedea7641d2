import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def get_args():
    ap = argparse.ArgumentParser()
    ap.add_argument("--accum", type=int, default=2)
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--clip", type=float, default=1.0)
    return ap.parse_args()


class CharLM(nn.Module):
    def __init__(self, vocab=40, dim=24):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        h, _ = self.rnn(self.embed(ids))
        return self.out(h)


def train_epoch(model, loader, optimizer, args, device):
    model.train()
    optimizer.zero_grad(set_to_none=True)
    seen = torch.zeros((), device=device)
    for i, (ids,) in enumerate(loader, start=1):
        ids = ids.to(device)
        logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        (loss / args.accum).backward()
        seen += loss.detach()
        if i % args.accum and i != len(loader):
            continue
        nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return seen.item() / len(loader)


def main():
    args = get_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = CharLM().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    loader = DataLoader(TensorDataset(torch.randint(0, 40, (44, 12))), batch_size=4, shuffle=True)
    for epoch in range(args.epochs):
        print(epoch, train_epoch(model, loader, optimizer, args, device))


if __name__ == "__main__":
    main()
