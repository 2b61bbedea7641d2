import torch
from torch import nn


def all_devices():
    n = torch.cuda.device_count() if torch.cuda.is_available() else 0
    return [torch.device("cuda", i) for i in range(n)] or [torch.device("cpu")]


class Split(nn.Module):
    """Consecutive parts on consecutive devices; activations follow."""

    def __init__(self, parts, devices):
        super().__init__()
        self.where = [devices[i * len(devices) // len(parts)] for i in range(len(parts))]
        self.parts = nn.ModuleList(p.to(d) for p, d in zip(parts, self.where))

    @property
    def input_device(self):
        return self.where[0]

    @property
    def output_device(self):
        return self.where[-1]

    def forward(self, x):
        for part, device in zip(self.parts, self.where):
            x = part(x.to(device))
        return x


model = Split([nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 12), nn.ReLU(), nn.Linear(12, 3)], all_devices())
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    x = torch.randn(8, 6, device=model.input_device)
    y = torch.randint(0, 3, (8,), device=model.output_device)
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
