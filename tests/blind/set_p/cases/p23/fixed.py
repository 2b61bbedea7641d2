import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.set_default_device(device)
torch.manual_seed(0)


class MLP(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        layers = []
        for a, b in zip(sizes[:-1], sizes[1:]):
            layers += [nn.Linear(a, b), nn.ReLU()]
        self.net = nn.Sequential(*layers[:-1])

    def forward(self, x):
        return self.net(x)


def make_moons(n):
    t = torch.rand(n) * torch.pi
    label = torch.randint(2, (n,))
    sign = 1.0 - 2.0 * label
    x = torch.stack([torch.cos(t) * sign + label, torch.sin(t) * sign + 0.5 * label], dim=1)
    return x + 0.1 * torch.randn(n, 2), label


x, y = make_moons(256)
dataset = TensorDataset(x, y)
loader = DataLoader(dataset, batch_size=32, shuffle=True, generator=torch.Generator(device=device))
model = MLP([2, 32, 32, 2])
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

for epoch in range(5):
    for xb, yb in loader:
        loss = F.cross_entropy(model(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())

with torch.no_grad():
    acc = (model(x).argmax(1) == y).float().mean()
print("accuracy", acc.item())
