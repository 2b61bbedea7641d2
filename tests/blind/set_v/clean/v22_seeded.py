import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class SeededNoise:
    """Draws on the host so that the same seed gives the same numbers on every machine."""

    def __init__(self, seed):
        self.gen = torch.Generator().manual_seed(seed)

    def __call__(self, shape, device):
        return torch.randn(shape, generator=self.gen).to(device)

    def order(self, n):
        return torch.randperm(n, generator=self.gen)


class Crops:
    def __init__(self, seed):
        self.gen = torch.Generator("cpu").manual_seed(seed)

    def __call__(self, x, width):
        start = torch.randint(0, x.size(1) - width + 1, (1,), generator=self.gen).item()
        return x[:, start : start + width]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
noise, crops = SeededNoise(1), Crops(2)
split_gen = torch.Generator().manual_seed(3)
full = TensorDataset(torch.randn(40, 12))
train, rest = random_split(full, [32, 8], generator=split_gen)
loader = DataLoader(train, batch_size=8, shuffle=True, generator=split_gen)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8)).to(device)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for (x,) in loader:
    x = crops(x.to(device), 8)
    loss = (net(x + noise(x.shape, x.device)) - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
shuffled = x[noise.order(len(x))]
print(loss.item(), shuffled.shape, len(rest))
