import torch
from torch import nn


class TransformerXL(nn.Module):
    """Segment recurrence: keys reach back into the cached states of the last segment."""

    def __init__(self, vocab, dim=8, depth=2, mem=4):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.q = nn.ModuleList(nn.Linear(dim, dim) for _ in range(depth))
        self.kv = nn.ModuleList(nn.Linear(dim, 2 * dim) for _ in range(depth))
        self.out = nn.Linear(dim, vocab)
        self.mem = mem

    def empty(self, batch):
        w = self.out.weight
        return [w.new_zeros(batch, 0, w.size(1)) for _ in self.q]

    def forward(self, ids, mems):
        x, new = self.emb(ids), []
        for q, kv, m in zip(self.q, self.kv, mems):
            ctx = torch.cat([m, x], dim=1)
            with torch.no_grad():
                new.append(ctx[:, -self.mem :].detach())
            k, v = kv(ctx).chunk(2, -1)
            n, t = x.size(1), ctx.size(1)
            allowed = torch.ones(n, t, dtype=torch.bool, device=x.device).tril(t - n)
            att = (q(x) @ k.transpose(1, 2)).masked_fill(~allowed, float("-inf")).softmax(-1)
            x = x + att @ v
        return self.out(x), new


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = TransformerXL(12).to(device)
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    stream = torch.randint(0, 12, (2, 25)).to(device)
    mems = model.empty(2)
    for i in range(0, 24, 6):
        x, y = stream[:, i : i + 6], stream[:, i + 1 : i + 7]
        logits, mems = model(x, mems)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())


if __name__ == "__main__":
    main()
