import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader

from data import IGNORE, TaggedSentences, collate, to_device


class Tagger(nn.Module):
    def __init__(self, vocab=50, tags=5, dim=32):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.conv = nn.Conv1d(dim, dim, 3, padding=1)
        self.out = nn.Linear(dim, tags)

    def forward(self, tokens, mask):
        h = self.embed(tokens) * mask.unsqueeze(-1)
        h = torch.relu(self.conv(h.transpose(1, 2))).transpose(1, 2)
        return self.out(h)


def run_epoch(model, loader, criterion, device, optimizer=None):
    model.train(optimizer is not None)
    seen = total = 0
    for batch in loader:
        batch = to_device(batch, device)
        with torch.set_grad_enabled(optimizer is not None):
            logits = model(batch["tokens"], batch["mask"])
            loss = criterion(logits.transpose(1, 2), batch["tags"])
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item() * batch["size"]
        seen += batch["size"]
    return total / seen


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--no-cuda", action="store_true")
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() and not args.no_cuda else "cpu")
    train = DataLoader(TaggedSentences(), batch_size=args.batch_size, shuffle=True, collate_fn=collate)
    dev = DataLoader(TaggedSentences(16), batch_size=args.batch_size, collate_fn=collate)
    model = Tagger().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss(ignore_index=IGNORE)
    for epoch in range(args.epochs):
        tr = run_epoch(model, train, criterion, device, optimizer)
        print(epoch, tr, run_epoch(model, dev, criterion, device))
