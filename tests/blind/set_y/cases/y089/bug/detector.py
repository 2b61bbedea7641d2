import torch
import torch.nn.functional as F
from torch import nn

from anchors import AnchorGenerator


class Detector(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.anchors = AnchorGenerator()
        self.c1 = nn.Conv2d(3, ch, 3, stride=4, padding=1)
        self.c2 = nn.Conv2d(ch, ch, 3, stride=2, padding=1)
        self.reg = nn.Conv2d(ch, 4 * len(self.anchors), 1)

    def forward(self, images):
        f1 = F.relu(self.c1(images))
        f2 = F.relu(self.c2(f1))
        deltas = torch.cat([self.reg(f).permute(0, 2, 3, 1).reshape(len(images), -1, 4) for f in (f1, f2)], dim=1)
        return self.decode(self.anchors([f1, f2]), deltas)

    @staticmethod
    def decode(anchors, deltas):
        xy = anchors[:, :2] + deltas[..., :2] * anchors[:, 2:]
        wh = anchors[:, 2:] * deltas[..., 2:].clamp(max=4).exp()
        return torch.cat([xy - wh / 2, xy + wh / 2], dim=-1)


def nearest_loss(boxes, gt):
    dist = torch.cdist(boxes, gt, p=1)
    return dist.amin(1).mean() / boxes.size(1)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Detector().to(device)
    opt = torch.optim.SGD(model.parameters(), lr=1e-3)
    for step in range(3):
        images = torch.rand(2, 3, 32, 32).to(device)
        gt = torch.rand(2, 3, 4).mul(16).to(device)
        gt = torch.cat([gt[..., :2], gt[..., :2] + gt[..., 2:]], dim=-1)
        loss = nearest_loss(model(images), gt)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())
