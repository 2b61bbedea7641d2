import torch
from torch import nn

from boxes import AnchorGrid, decode


class TinyDetector(nn.Module):
    def __init__(self, per_cell=2, size=32):
        super().__init__()
        self.size = size
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, stride=8, padding=1), nn.ReLU())
        self.down = nn.Sequential(nn.Conv2d(16, 16, 3, stride=2, padding=1), nn.ReLU())
        self.head = nn.Conv2d(16, per_cell * 4, 1)
        self.grid = AnchorGrid()

    def forward(self, x):
        p3 = self.stem(x)
        p4 = self.down(p3)
        deltas = [self.head(p).permute(0, 2, 3, 1).reshape(x.size(0), -1, 4) for p in (p3, p4)]
        anchors = self.grid.build(self.size, x.device)
        return decode(torch.cat(deltas, dim=1) * 0.1, anchors)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TinyDetector().to(device).eval()
    with torch.no_grad():
        images = torch.randn(2, 3, 32, 32, device=device)
        boxes = model(images)
    print("boxes", tuple(boxes.shape), boxes.clamp(0, 32).mean().item())


if __name__ == "__main__":
    main()
