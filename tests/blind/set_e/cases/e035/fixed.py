import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, n, dim=6):
        self.a, self.b = torch.randn(n, dim), torch.randn(n, dim)
        self.same = torch.randint(0, 2, (n,)).float()

    def __len__(self):
        return len(self.same)

    def __getitem__(self, i):
        return {"left": self.a[i], "right": self.b[i], "same": self.same[i], "name": f"pair{i}"}


def to_device(batch, device, keys=("left", "right")):
    return {k: v.to(device) if torch.is_tensor(v) else v for k, v in batch.items()}


class Siamese(nn.Module):
    def __init__(self, dim=6, margin=1.0):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 16), nn.ReLU(), nn.Linear(16, 4))
        self.margin = margin

    def forward(self, left, right):
        return nn.functional.pairwise_distance(self.net(left), self.net(right))

    def loss(self, dist, same):
        return (same * dist.pow(2) + (1 - same) * (self.margin - dist).clamp(min=0).pow(2)).mean()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Siamese().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for batch in DataLoader(Pairs(12), batch_size=4, shuffle=True):
        batch = to_device(batch, device)
        loss = model.loss(model(batch["left"], batch["right"]), batch["same"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())


if __name__ == "__main__":
    main()
