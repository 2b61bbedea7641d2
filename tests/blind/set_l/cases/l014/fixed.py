import torch
import torch.nn as nn
import torch.nn.functional as F

HEADS = {}


def register(name):
    def wrap(cls):
        HEADS[name] = cls
        return cls
    return wrap


class BaseHead(nn.Module):
    def __init__(self, channels, stride):
        super().__init__()
        self.stride = stride
        self.conv = nn.Conv2d(channels, self.out_channels(), 1)
        self.setup()

    def setup(self):
        pass

    def out_channels(self):
        raise NotImplementedError

    def forward(self, feat):
        return self.decode(self.conv(feat))


@register("anchor")
class AnchorHead(BaseHead):
    sizes = ((10, 13), (16, 30), (33, 23))

    def out_channels(self):
        return len(self.sizes) * 5

    def setup(self):
        self.register_buffer("anchors", torch.tensor(self.sizes, dtype=torch.float32), persistent=False)

    def decode(self, raw):
        b, _, h, w = raw.shape
        raw = raw.view(b, len(self.sizes), 5, h, w).permute(0, 1, 3, 4, 2)
        ys, xs = torch.meshgrid(torch.arange(h, device=raw.device), torch.arange(w, device=raw.device), indexing="ij")
        grid = torch.stack([xs, ys], -1).float()
        xy = (raw[..., :2].sigmoid() + grid) * self.stride
        wh = raw[..., 2:4].clamp(max=4).exp() * self.anchors[None, :, None, None]
        return torch.cat([xy, wh, raw[..., 4:]], -1).flatten(1, 3)


class Detector(nn.Module):
    def __init__(self, head="anchor"):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU())
        self.head = HEADS[head](16, stride=4)

    def forward(self, x):
        return self.head(self.backbone(x))


def detection_loss(pred, box, obj):
    return F.smooth_l1_loss(pred[..., :4] / 32, box / 32) + F.binary_cross_entropy_with_logits(pred[..., 4], obj)


if __name__ == "__main__":
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Detector().to(dev)
    opt = torch.optim.SGD(net.parameters(), lr=1e-3, momentum=0.9)
    for it in range(3):
        img = torch.randn(2, 3, 32, 32, device=dev)
        pred = net(img)
        box = torch.rand(pred.shape[:-1] + (4,), device=dev) * 32
        obj = torch.randint(0, 2, pred.shape[:-1], device=dev).float()
        loss = detection_loss(pred, box, obj)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(it, loss.item())
