import torch
import torch.nn as nn

from boxes import cell_offsets, iou


class TinyYolo(nn.Module):
    stride = 4

    def __init__(self, width=8):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, width, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(width, width, 3, stride=2, padding=1), nn.ReLU())
        self.head = nn.Conv2d(width, 5, 1)

    def forward(self, images):
        raw = self.head(self.features(images)).permute(0, 2, 3, 1)
        return self.decode(raw[..., :4]), raw[..., 4]

    def decode(self, raw):
        offsets = cell_offsets(raw.shape[1:3], self.stride, raw.device)
        centre = raw[..., :2].sigmoid() * self.stride + offsets
        half = raw[..., 2:].clamp(max=4).exp() * self.stride / 2
        return torch.cat((centre - half, centre + half), dim=-1)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TinyYolo().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    target = torch.tensor([2.0, 2.0, 12.0, 12.0], device=device)
    for step in range(5):
        images = torch.randn(2, 3, 16, 16, device=device)
        boxes, objectness = model(images)
        overlap = iou(boxes, target)
        loss = (1 - overlap).mean() + nn.functional.binary_cross_entropy_with_logits(objectness, overlap.detach())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
