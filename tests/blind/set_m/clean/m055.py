import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Detector(nn.Module):
    def __init__(self, n_classes=3):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU())
        self.cls = nn.Conv2d(8, n_classes, 1)
        self.box = nn.Conv2d(8, 4, 1)

    def forward(self, x):
        h = self.conv(x)
        return self.cls(h).sigmoid(), self.box(h)


def to_host(tensors):
    """Starts all the copies, then waits once."""
    out = [t.to("cpu", non_blocking=True) for t in tensors]
    if device.type == "cuda":
        torch.cuda.synchronize()
    return out


@torch.inference_mode()
def detect(model, images, threshold=0.5):
    scores, boxes = model(images.to(device, non_blocking=True))
    best, labels = scores.max(dim=1)
    best, labels, boxes = to_host([best, labels, boxes])
    results = []
    for i in range(len(images)):
        keep = best[i] > threshold
        results.append({"scores": best[i][keep].numpy(), "labels": labels[i][keep].numpy(), "boxes": boxes[i][:, keep].t().numpy()})
    return results


model = Detector().to(device).eval()
for r in detect(model, torch.rand(2, 3, 16, 16)):
    print(len(r["scores"]), r["boxes"].shape, r["labels"][:3])
