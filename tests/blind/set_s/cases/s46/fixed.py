import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class ClickLog(Dataset):
    def __init__(self, n=96):
        gen = torch.Generator().manual_seed(11)
        self.user = torch.randint(0, 20, (n,), generator=gen)
        self.item = torch.randint(0, 50, (n,), generator=gen)
        self.price = torch.rand(n, generator=gen)
        self.click = ((self.user + self.item) % 3 == 0).float()

    def __len__(self):
        return len(self.user)

    def __getitem__(self, i):
        return {"user": self.user[i], "item": self.item[i], "price": self.price[i], "click": self.click[i]}


class WideDeep(nn.Module):
    def __init__(self, users=20, items=50, dim=8):
        super().__init__()
        self.user, self.item = nn.Embedding(users, dim), nn.Embedding(items, dim)
        self.deep = nn.Sequential(nn.Linear(2 * dim + 1, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, user, item, price):
        h = torch.cat([self.user(user), self.item(item), price.unsqueeze(-1)], dim=-1)
        return self.deep(h).squeeze(-1)


def step(model, batch, device):
    batch = {k: v.to(device, non_blocking=True) for k, v in batch.items()}
    target = batch.pop("click")
    logits = model(**batch)
    return F.binary_cross_entropy_with_logits(logits, target)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(ClickLog(), batch_size=24, shuffle=True)
    model = WideDeep().to(device)
    opt = torch.optim.Adagrad(model.parameters(), lr=0.05)
    for epoch in range(2):
        for batch in loader:
            opt.zero_grad()
            loss = step(model, batch, device)
            loss.backward()
            opt.step()
        print(f"epoch {epoch}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
