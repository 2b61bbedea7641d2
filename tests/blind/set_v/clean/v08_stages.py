import torch
from torch import nn


class Pyramid(nn.Module):
    def __init__(self, widths=(3, 8, 16)):
        super().__init__()
        self.stage_names = []
        for i, (a, b) in enumerate(zip(widths, widths[1:])):
            name = f"stage{i}"
            self.add_module(name, nn.Sequential(nn.Conv2d(a, b, 3, 2, 1), nn.ReLU()))
            self.stage_names.append(name)
        self.lateral = nn.Conv2d(widths[-1], 4, 1)
        parts = [nn.Flatten(), nn.Linear(64, 10), nn.ReLU(), nn.Linear(10, 2)]
        self.top = nn.Sequential(*parts)
        # order in which the parts are run; every one of them is an attribute above
        self.schedule = [self.lateral, self.top]

    def forward(self, x):
        feats = {}
        for name in self.stage_names:
            x = getattr(self, name)(x)
            feats[name] = x
        for part in self.schedule:
            x = part(x)
        return x, feats


class Runner:
    """Not a module: keeps what belongs together in a dictionary and moves each piece."""

    def __init__(self, device):
        self.models = {"main": Pyramid(), "aux": nn.Linear(2, 2)}
        for m in self.models.values():
            m.to(device)
        self.device = device

    def parameters(self):
        return [p for m in self.models.values() for p in m.parameters()]

    def __call__(self, x):
        out, _ = self.models["main"](x.to(self.device))
        return self.models["aux"](out)


runner = Runner("cuda" if torch.cuda.is_available() else "cpu")
x = torch.randn(4, 3, 16, 16)
runner(x)
opt = torch.optim.SGD(runner.parameters(), lr=0.01)
for _ in range(2):
    loss = runner(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(len(runner.parameters()), loss.item())
