import torch
from torch import nn
import torch.nn.functional as F
from negatives import LogUniform


class Caser(nn.Module):
    def __init__(self, items, dim=16, length=6, filters=8):
        super().__init__()
        self.item = nn.Embedding(items, dim)
        self.horizontal = nn.ModuleList(nn.Conv2d(1, filters, (h, dim)) for h in (2, 3))
        self.vertical = nn.Conv2d(1, 2, (length, 1))
        self.fc = nn.Linear(2 * filters + 2 * dim, dim)

    def forward(self, seq):
        x = self.item(seq).unsqueeze(1)
        pooled = [F.relu(c(x)).squeeze(3).amax(-1) for c in self.horizontal]
        vertical = self.vertical(x).flatten(1)
        return self.fc(torch.cat([*pooled, vertical], 1))

    def logits(self, user, ids):
        return torch.einsum("bd,bkd->bk", user, self.item(ids))


def sampled_softmax(model, seq, target, sampler):
    user = model(seq)
    positive = model.logits(user, target[:, None]) - sampler.correction(target[:, None])
    ids = sampler.sample(len(seq)).to(seq.device)
    clash = ids == target[:, None]
    negative = model.logits(user, ids) - sampler.correction(ids)
    negative = negative.masked_fill(clash, -1e9)
    logits = torch.cat([positive, negative], 1)
    return F.cross_entropy(logits, torch.zeros(len(seq), dtype=torch.long, device=logits.device))


def main(items=50, steps=5):
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Caser(items).to(device)
    sampler = LogUniform(items, 10)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    history = (torch.arange(7) * 3 + torch.randint(items, (100, 1))) % items
    for step in range(steps):
        rows = history[torch.randint(100, (16,))].to(device)
        loss = sampled_softmax(model, rows[:, :-1], rows[:, -1], sampler)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
