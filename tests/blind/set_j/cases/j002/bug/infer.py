import torch
import torch.nn as nn
import torch.nn.functional as F

from boxes import decode, nms


class TinyFCOS(nn.Module):
    stride = 8

    def __init__(self, classes=3):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, 8, 3, 4, 1), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU())
        self.cls = nn.Conv2d(16, classes, 1)
        self.reg = nn.Conv2d(16, 4, 1)

    def forward(self, x):
        f = self.backbone(x)
        h, w = f.shape[-2:]
        scores = self.cls(f).flatten(2).transpose(1, 2).sigmoid()
        deltas = F.softplus(self.reg(f)).flatten(2).transpose(1, 2) * self.stride
        boxes = decode(deltas, h, w, self.stride)
        return boxes, scores


@torch.no_grad()
def detect(model, image, thr=0.3):
    boxes, scores = model(image[None])
    conf, label = scores[0].max(-1)
    mask = conf > thr
    b, c, l = boxes[0][mask], conf[mask], label[mask]
    if b.numel() == 0:
        return b, c, l
    keep = nms(b, c, 0.5)
    return b[keep], c[keep], l[keep]


if __name__ == "__main__":
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = TinyFCOS().to(dev).eval()
    img = torch.rand(3, 64, 64).to(dev)
    b, c, l = detect(net, img)
    print(b.shape, c.cpu().numpy()[:3], l.tolist()[:3])
