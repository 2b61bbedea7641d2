import torch
from torch import nn


class FeaturePyramid(nn.Module):
    def __init__(self, channels=(4, 8, 16), out=8):
        super().__init__()
        self.lateral = []
        self.smooth = []
        for i, c in enumerate(channels):
            lateral, smooth = nn.Conv2d(c, out, 1), nn.Conv2d(out, out, 3, padding=1)
            self.add_module(f"lateral{i}", lateral)
            self.add_module(f"smooth{i}", smooth)
            self.lateral.append(lateral)
            self.smooth.append(smooth)

    def forward(self, feats):
        x = self.lateral[-1](feats[-1])
        outs = [self.smooth[-1](x)]
        for i in range(len(feats) - 2, -1, -1):
            x = nn.functional.interpolate(x, scale_factor=2) + self.lateral[i](feats[i])
            outs.insert(0, self.smooth[i](x))
        return outs


class Net(nn.Module):
    def __init__(self, n_classes=3):
        super().__init__()
        stages = [nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(4, 8, 3, 2, 1), nn.Conv2d(8, 16, 3, 2, 1)]
        self.stages = nn.ModuleList(stages)
        self.fpn = FeaturePyramid()
        self.head = nn.Linear(24, n_classes)

    def forward(self, x):
        feats = []
        for stage in self.stages:
            x = stage(x).relu()
            feats.append(x)
        return self.head(torch.cat([f.mean((2, 3)) for f in self.fpn(feats)], dim=1))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(3):
    x = torch.rand(4, 3, 16, 16, device=device)
    loss = nn.functional.cross_entropy(net(x), torch.randint(0, 3, (4,), device=device))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())
