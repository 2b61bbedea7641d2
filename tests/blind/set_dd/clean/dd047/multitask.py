import torch
from torch import nn
import torch.nn.functional as F

from pcgrad import PCGrad


class DensePredictor(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.trunk = nn.Sequential(nn.Conv2d(3, width, 3, padding=1), nn.SiLU(), nn.Conv2d(width, width, 3, padding=1), nn.SiLU())
        self.depth = nn.Conv2d(width, 1, 1)
        self.normal = nn.Conv2d(width, 3, 1)
        self.seg = nn.Conv2d(width, 5, 1)

    def forward(self, x):
        h = self.trunk(x)
        return {"depth": self.depth(h), "normal": F.normalize(self.normal(h), dim=1), "seg": self.seg(h)}


def losses(pred, batch):
    return [
        F.l1_loss(pred["depth"], batch["depth"]),
        (1 - (pred["normal"] * batch["normal"]).sum(1)).mean(),
        F.cross_entropy(pred["seg"], batch["seg"]),
    ]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = DensePredictor().to(device)
    surgeon = PCGrad(net.parameters(), torch.optim.Adam(net.parameters(), lr=1e-3))
    for step in range(3):
        x = torch.rand(2, 3, 10, 10, device=device)
        batch = {"depth": x.mean(1, keepdim=True), "normal": F.normalize(x, dim=1),
                 "seg": torch.randint(0, 5, (2, 10, 10), device=device)}
        values = losses(net(x), batch)
        surgeon.step(values)
        print(step, [round(v.item(), 3) for v in values])


if __name__ == "__main__":
    main()
