import torch
from torch import nn


def collate(batch):
    """Pads the captions and says which positions are padding."""
    feats, caps = zip(*batch)
    longest = max(map(len, caps))
    ids = torch.zeros(len(caps), longest, dtype=torch.long)
    pad = torch.ones(len(caps), longest, dtype=torch.bool)
    for row, cap in enumerate(caps):
        ids[row, : len(cap)] = cap
        pad[row, : len(cap)] = False
    return torch.stack(feats), ids, pad


class Pointer(nn.Module):
    def __init__(self, vocab=25, d=16):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.query = nn.Linear(9, d)
        self.out = nn.Linear(d, vocab)

    def forward(self, feats, ids, pad):
        keys = self.emb(ids)
        scores = torch.einsum("bd,bld->bl", self.query(feats), keys)
        scores = scores.masked_fill(pad, -1e9)
        ctx = torch.einsum("bl,bld->bd", scores.softmax(-1), keys)
        return self.out(ctx)


def items(n):
    for _ in range(n):
        length = int(torch.randint(2, 7, (1,)))
        yield torch.randn(9), torch.randint(1, 25, (length,))


def train(device, steps=3):
    net = Pointer().to(device)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.01)
    loss_fn = nn.CrossEntropyLoss()
    for _ in range(steps):
        feats, ids, pad = collate(list(items(5)))
        feats, ids = feats.to(device), ids.to(device)
        logits = net(feats, ids, pad)
        loss = loss_fn(logits, ids[:, 0])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


if __name__ == "__main__":
    print(train(torch.device("cuda" if torch.cuda.is_available() else "cpu")))
