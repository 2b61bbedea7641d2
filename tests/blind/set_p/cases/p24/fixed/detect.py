import torch
import torch.nn as nn

from anchors import ANCHORS, STRIDE, cell_grid


class TinyDetector(nn.Module):
    def __init__(self, classes=2):
        super().__init__()
        self.na = len(ANCHORS)
        self.no = 5 + classes
        self.body = nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(8, 8, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(8, self.na * self.no, 3, stride=2, padding=1),
        )

    def forward(self, x):
        p = self.body(x)
        b, _, h, w = p.shape
        return p.view(b, self.na, self.no, h, w).permute(0, 1, 3, 4, 2)


def decode(pred):
    b, na, h, w, _ = pred.shape
    grid = cell_grid(h, w, pred.device)
    xy = (torch.sigmoid(pred[..., 0:2]) + grid) * STRIDE
    wh = torch.exp(pred[..., 2:4]) * ANCHORS.to(pred.device).view(1, na, 1, 1, 2) * STRIDE
    conf = torch.sigmoid(pred[..., 4:])
    return torch.cat([xy, wh, conf], dim=-1).view(b, -1, pred.size(-1))


@torch.no_grad()
def predict(model, images, threshold=0.25):
    model.eval()
    boxes = decode(model(images))
    keep = []
    for row in boxes:
        score = row[:, 4] * row[:, 5:].amax(dim=1)
        keep.append(row[score > threshold])
    return keep


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TinyDetector().to(device)
    images = torch.rand(2, 3, 64, 64).to(device)
    for i, found in enumerate(predict(model, images)):
        print(f"image {i}: {len(found)} boxes")


if __name__ == "__main__":
    main()
