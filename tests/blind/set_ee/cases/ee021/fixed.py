import torch
import torch.nn as nn
import torch.nn.functional as F


def decode(deltas, anchors):
    """Turn regression deltas into corner boxes (x1, y1, x2, y2)."""
    ax, ay, aw, ah = anchors.unbind(dim=-1)
    dx, dy, dw, dh = deltas.unbind(dim=-1)
    dw = dw.clamp(max=4.0)
    dh = dh.clamp(max=4.0)
    cx = dx * aw + ax
    cy = dy * ah + ay
    w = dw.exp() * aw
    h = dh.exp() * ah
    return torch.stack([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2], dim=-1)


class BoxHead(nn.Module):
    def __init__(self, dim, n_anchors):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Linear(64, n_anchors * 4))
        anchors = torch.rand(n_anchors, 4) * 0.5 + 0.25
        self.register_buffer("anchors", anchors)

    def forward(self, feats):
        deltas = self.fc(feats).view(feats.size(0), -1, 4)
        return decode(deltas, self.anchors)


def iou_loss(pred, target):
    lt = torch.maximum(pred[..., :2], target[..., :2])
    rb = torch.minimum(pred[..., 2:], target[..., 2:])
    inter = (rb - lt).clamp(min=0).prod(-1)
    area_p = (pred[..., 2:] - pred[..., :2]).prod(-1)
    area_t = (target[..., 2:] - target[..., :2]).prod(-1)
    return 1 - (inter / (area_p + area_t - inter + 1e-7)).mean()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    head = BoxHead(16, n_anchors=6).to(device)
    optimizer = torch.optim.Adam(head.parameters(), lr=1e-3)
    for _ in range(5):
        feats = torch.randn(8, 16, device=device)
        corner = torch.rand(8, 6, 2, device=device) * 0.4
        target = torch.cat([corner, corner + 0.4], dim=-1)
        boxes = head(feats)
        loss = iou_loss(boxes, target) + 0.1 * F.l1_loss(boxes, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
