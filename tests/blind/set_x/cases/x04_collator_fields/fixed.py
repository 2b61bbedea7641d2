"""Sequence classification with a padding collator."""
import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Sentences(Dataset):
    def __init__(self, n=24):
        rng = random.Random(0)
        self.rows = [[rng.randrange(1, 30) for _ in range(rng.randrange(3, 9))] for _ in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return {"input_ids": self.rows[i], "label": len(self.rows[i]) % 2}


class Collator:
    def __init__(self, pad_id=0):
        self.pad_id = pad_id

    def __call__(self, rows):
        longest = max(len(r["input_ids"]) for r in rows)
        ids = torch.full((len(rows), longest), self.pad_id)
        for i, r in enumerate(rows):
            ids[i, : len(r["input_ids"])] = torch.tensor(r["input_ids"])
        segment = (torch.arange(longest) > longest // 2).long().expand_as(ids)
        return {
            "input_ids": ids,
            "segment_ids": segment,
            "labels": torch.tensor([r["label"] for r in rows]),
        }


class Classifier(nn.Module):
    def __init__(self, vocab=30, dim=16):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim, padding_idx=0)
        self.seg = nn.Embedding(2, dim)
        self.head = nn.Linear(dim, 2)

    def forward(self, input_ids, segment_ids):
        h = self.tok(input_ids) + self.seg(segment_ids)
        return self.head(h.mean(dim=1))


def prepare(batch, device):
    keys = ("input_ids", "segment_ids", "labels")
    moved = {k: batch[k].to(device) for k in keys}
    rest = {k: v for k, v in batch.items() if k not in moved}
    return {**rest, **moved}


def run_epoch(model, loader, optimizer, device):
    criterion = nn.CrossEntropyLoss()
    model.train()
    for batch in loader:
        batch = prepare(batch, device)
        labels = batch.pop("labels")
        loss = criterion(model(**batch), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Classifier().to(device)
    dl = DataLoader(Sentences(), batch_size=8, shuffle=True, collate_fn=Collator())
    run_epoch(net, dl, torch.optim.Adam(net.parameters()), device)
