"""Detection inference whose suppression step is written in numpy."""
from typing import List, NamedTuple

import numpy as np
import torch
from torch import nn


class Detections(NamedTuple):
    boxes: torch.Tensor
    scores: torch.Tensor


def nms_numpy(boxes: np.ndarray, scores: np.ndarray, threshold: float) -> List[int]:
    x1, y1, x2, y2 = boxes.T
    area = (x2 - x1) * (y2 - y1)
    order, keep = scores.argsort()[::-1], []
    while order.size:
        i, rest = order[0], order[1:]
        keep.append(int(i))
        w = np.maximum(0, np.minimum(x2[i], x2[rest]) - np.maximum(x1[i], x1[rest]))
        h = np.maximum(0, np.minimum(y2[i], y2[rest]) - np.maximum(y1[i], y1[rest]))
        iou = w * h / (area[i] + area[rest] - w * h)
        order = rest[iou <= threshold]
    return keep


def nms(boxes: torch.Tensor, scores: torch.Tensor, threshold: float = 0.5) -> torch.Tensor:
    keep = nms_numpy(boxes.detach().cpu().numpy(), scores.detach().cpu().numpy(), threshold)
    return torch.as_tensor(keep, dtype=torch.long, device=boxes.device)


class BoxNet(nn.Module):
    def __init__(self, cells=5):
        super().__init__()
        self.cells = cells
        self.net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(cells), nn.Conv2d(8, 5, 1))

    def forward(self, images):
        out = self.net(images).flatten(2).transpose(1, 2)
        grid = torch.arange(self.cells, device=out.device, dtype=out.dtype)
        cy, cx = (g.flatten() for g in torch.meshgrid(grid, grid, indexing="ij"))
        center = torch.stack([cx, cy], dim=1) + out[..., :2].sigmoid()
        half = out[..., 2:4].exp().clamp(0.1, 3)
        return torch.cat([center - half, center + half], dim=-1), out[..., 4].sigmoid()


class Detector:
    def __init__(self, device):
        self.device = device
        self.net = BoxNet().to(device)

    def __call__(self, images) -> List[Detections]:
        self.net.eval()
        with torch.no_grad():
            boxes, scores = self.net(images.to(self.device))
        results = []
        for b, s in zip(boxes, scores):
            keep = nms(b, s)
            results.append(Detections(b[keep], s[keep]))
        return results


if __name__ == "__main__":
    detector = Detector(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    for det in detector(torch.rand(2, 3, 20, 20)):
        print(det.boxes.shape, det.scores.cpu().numpy()[:3])
