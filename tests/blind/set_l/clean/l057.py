import torch
import torch.nn as nn
import torch.nn.functional as F


class AnchorGrid(nn.Module):
    """Holds plain tensors; follows .to()/.cuda()/.half() through _apply."""

    def __init__(self, size, stride):
        super().__init__()
        ys, xs = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
        self.centers = (torch.stack([xs, ys], -1).float() + 0.5) * stride
        self.scale = torch.full((1,), float(stride))

    def _apply(self, fn, *args, **kwargs):
        super()._apply(fn, *args, **kwargs)
        self.centers = fn(self.centers)
        self.scale = fn(self.scale)
        return self

    def forward(self, raw):
        b, _, h, w = raw.shape
        raw = raw.permute(0, 2, 3, 1)
        half = raw[..., 2:].exp() * self.scale / 2
        mid = self.centers + raw[..., :2] * self.scale
        return torch.cat([mid - half, mid + half], -1).view(b, h * w, 4)


class BoxNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, stride=4, padding=1)
        self.box = nn.Conv2d(8, 4, 1)
        self.grid = AnchorGrid(8, 4)

    def forward(self, x):
        return self.grid(self.box(F.relu(self.stem(x))))


def iou_loss(a, b):
    lt, rb = torch.max(a[..., :2], b[..., :2]), torch.min(a[..., 2:], b[..., 2:])
    inter = (rb - lt).clamp(min=0).prod(-1)
    area = lambda t: (t[..., 2:] - t[..., :2]).prod(-1)
    return (1 - inter / (area(a) + area(b) - inter).clamp(min=1e-6)).mean()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = BoxNet().to(device)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(3):
    img = torch.randn(2, 3, 32, 32, device=device)
    corner = torch.rand(2, 64, 2, device=device) * 20
    truth = torch.cat([corner, corner + 8], -1)
    loss = iou_loss(net(img), truth)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())
