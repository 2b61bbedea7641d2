import torch
import torch.nn as nn
import torch.nn.functional as F

from core import Batch, Model, pick


class Tagger(Model):
    def __init__(self, vocab=40, dim=16, tags=4):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.mix = nn.Conv1d(dim, dim, 3, padding=1)
        self.out = nn.Linear(dim, tags)

    def forward(self, batch):
        h = self.emb(batch.ids)
        h = h + F.relu(self.mix(h.transpose(1, 2))).transpose(1, 2)
        return self.out(h)


def collate(lengths):
    longest = max(lengths)
    ids = torch.zeros(len(lengths), longest, dtype=torch.long)
    for row, n in enumerate(lengths):
        ids[row, :n] = torch.randint(1, 40, (n,))
    tags = torch.where(ids > 0, ids % 4, -100)
    return Batch(ids=ids, tags=tags, lengths=lengths)


def main():
    model = Tagger().to(pick())
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(6):
        batch = model.prepare(collate([3, 7, 5, 2]))
        loss = F.cross_entropy(model(batch).transpose(1, 2), batch.tags, ignore_index=-100)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(model.device.type, sum(batch.lengths), f"{loss.item():.3f}")


if __name__ == "__main__":
    main()
