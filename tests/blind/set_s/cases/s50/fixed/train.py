import torch
import torch.nn as nn
import torch.nn.functional as F

from layers import Block


class Tagger(nn.Module):
    def __init__(self, vocab=60, tags=5, dim=16, depth=2):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.blocks = nn.ModuleList(Block(dim) for _ in range(depth))
        self.out = nn.Linear(dim, tags)

    def forward(self, ids):
        keep = ids.ne(0)
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x, keep)
        return self.out(x)


def make_batch(n=8, length=10):
    ids = torch.randint(1, 60, (n, length))
    for row in range(n):
        ids[row, 4 + row % 6:] = 0
    return ids, torch.where(ids > 0, ids % 5, -100)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Tagger().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(6):
        ids, tags = (t.to(device) for t in make_batch())
        opt.zero_grad()
        loss = F.cross_entropy(model(ids).flatten(0, 1), tags.flatten(), ignore_index=-100)
        loss.backward()
        opt.step()
    print("last loss", loss.item())


if __name__ == "__main__":
    main()
