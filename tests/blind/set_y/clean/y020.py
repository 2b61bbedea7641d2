import torch
from torch import nn


class FrozenStages(nn.Module):
    """Keeps the frozen part in eval mode whatever the outer mode is."""

    def __init__(self, frozen_stages=2):
        super().__init__()
        self.frozen_stages = frozen_stages
        chans = [3, 8, 12, 16]
        for i, (a, b) in enumerate(zip(chans[:-1], chans[1:])):
            self.add_module(f"layer{i}", nn.Sequential(nn.Conv2d(a, b, 3, 2, 1), nn.BatchNorm2d(b), nn.ReLU(inplace=True)))
        self._freeze_stages()

    def _freeze_stages(self):
        for i in range(self.frozen_stages):
            layer = getattr(self, f"layer{i}")
            layer.eval()
            layer.requires_grad_(False)

    def train(self, mode=True):
        super().train(mode)
        self._freeze_stages()
        return self

    def forward(self, x):
        feats = []
        for i in range(3):
            x = getattr(self, f"layer{i}")(x)
            feats.append(x)
        return feats


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = FrozenStages()
        self.lateral = nn.ModuleList(nn.Conv2d(c, 8, 1) for c in (8, 12, 16))
        self.cls = nn.Conv2d(8, 3, 1)

    def forward(self, images):
        return [self.cls(l(f)) for l, f in zip(self.lateral, self.backbone(images))]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Detector().to(device)
    params = [p for p in net.parameters() if p.requires_grad]
    opt = torch.optim.SGD(params, lr=0.01, momentum=0.9, weight_decay=1e-4)
    before = net.backbone.layer0[1].running_mean.clone()
    for _ in range(2):
        net.train()
        maps = net(torch.randn(2, 3, 32, 32, device=device))
        loss = sum(m.pow(2).mean() for m in maps)
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    assert torch.equal(before, net.backbone.layer0[1].running_mean)
    print(loss.item(), len(params))


if __name__ == "__main__":
    main()
