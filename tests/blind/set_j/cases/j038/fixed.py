import torch
import torch.nn as nn
import torch.nn.functional as F

device = "cuda" if torch.cuda.is_available() else "cpu"
ANCHORS = [(8.0, 8.0), (16.0, 12.0)]


class YoloHead(nn.Module):
    def __init__(self, cin, classes, stride):
        super().__init__()
        self.na, self.no, self.stride = len(ANCHORS), 5 + classes, stride
        self.conv = nn.Conv2d(cin, self.na * self.no, 1)
        self.register_buffer("anchors", torch.tensor(ANCHORS).view(1, -1, 1, 1, 2))

    def decode(self, raw):
        b, _, h, w = raw.shape
        p = raw.view(b, self.na, self.no, h, w).permute(0, 1, 3, 4, 2)
        ys, xs = torch.meshgrid(torch.arange(h, device=raw.device), torch.arange(w, device=raw.device), indexing="ij")
        grid = torch.stack((xs, ys), -1).to(raw.dtype)
        xy, wh, rest = p.split((2, 2, self.no - 4), dim=-1)
        xy = (xy.sigmoid() + grid) * self.stride
        wh = wh.exp() * self.anchors
        return torch.cat((xy, wh, rest), -1)

    def forward(self, x):
        return self.decode(self.conv(x))


class Detector(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, 4, 1), nn.SiLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.SiLU())
        self.head = YoloHead(16, classes, stride=8)

    def forward(self, x):
        return self.head(self.stem(x))


def loss_fn(pred, boxes, obj, cls):
    m = obj.bool()
    l_box = F.smooth_l1_loss(pred[..., :4][m], boxes[m])
    l_obj = F.binary_cross_entropy_with_logits(pred[..., 4], obj)
    l_cls = F.cross_entropy(pred[..., 5:][m], cls[m])
    return 0.05 * l_box + l_obj + 0.5 * l_cls


model = Detector().to(device)
optim = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.937, nesterov=True)
for _ in range(2):
    images = torch.rand(2, 3, 32, 32, device=device)
    shape = (2, 2, 4, 4)
    boxes = torch.rand(*shape, 4, device=device) * 32
    obj = (torch.rand(shape, device=device) > 0.5).float()
    cls = torch.randint(0, 3, shape, device=device)
    loss = loss_fn(model(images), boxes, obj, cls)
    optim.zero_grad()
    loss.backward()
    optim.step()
print(loss.item())
