import torch
from torch import nn

from boxes import nms, paste_masks


class Head(nn.Module):
    def __init__(self, n=12):
        super().__init__()
        self.n = n
        self.fc = nn.Linear(16, n * 5)

    def forward(self, x):
        out = self.fc(x).view(-1, self.n, 5)
        xy = out[..., :2].sigmoid() * 20
        wh = out[..., 2:4].sigmoid() * 10 + 2
        return torch.cat([xy, xy + wh], -1), out[..., 4]


@torch.no_grad()
def predict(head, feats, size=32):
    head.eval()
    results = []
    for boxes, scores in zip(*head(feats)):
        keep = nms(boxes, scores)
        boxes, scores = boxes[keep], scores[keep]
        rounded = boxes.round().long().clamp(0, size - 1).tolist()
        masks = torch.ones(len(keep), size, size, dtype=torch.uint8)
        results.append((paste_masks(masks, rounded, size, size), scores.sigmoid().cpu()))
    return results


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    head = Head().to(device)
    feats = torch.randn(3, 16, device=device)
    for masks, scores in predict(head, feats):
        weighted = (masks.float() * scores[:, None, None]).amax(0)
        print(tuple(masks.shape), f"{weighted.mean().item():.3f}")


if __name__ == "__main__":
    main()
