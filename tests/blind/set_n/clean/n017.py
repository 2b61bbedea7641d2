import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def pick_device(name="auto"):
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(name)


class Prefetch:
    def __init__(self, loader, device):
        self.loader, self.device = loader, device

    def __len__(self):
        return len(self.loader)

    def __iter__(self):
        for batch in self.loader:
            if self.device.type == "cpu":
                yield batch
            else:
                yield [t.to(self.device, non_blocking=True) for t in batch]


device = pick_device()
data = TensorDataset(torch.randn(32, 1, 8, 8), torch.randint(0, 10, (32,)))
loader = Prefetch(DataLoader(data, batch_size=8, shuffle=True), device)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 10)).to(device)
if device.type == "cuda":
    net = net.to(memory_format=torch.channels_last)
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
for x, y in loader:
    assert x.device.type == next(net.parameters()).device.type
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
