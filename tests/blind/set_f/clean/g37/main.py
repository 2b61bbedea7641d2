import torch
from torch import nn
from torch.utils.data import DataLoader

from moving import Prefetcher
from scenes import Scenes, collate


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, 6))

    def forward(self, image, targets=None):
        out = self.body(image)
        boxes, logits = out[:, :4].sigmoid(), out[:, 4:]
        if targets is None:
            return boxes, logits
        losses = []
        for b, l, t in zip(boxes, logits, targets):
            which = (t.boxes - b).abs().sum(-1).argmin()
            losses.append((t.boxes[which] - b).abs().mean() + nn.functional.cross_entropy(l[None], t.labels[which][None]))
        return torch.stack(losses).mean()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Detector().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for batch in Prefetcher(DataLoader(Scenes(), batch_size=3, collate_fn=collate), device):
        loss = model(batch["image"], batch["targets"])
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(batch["names"], loss.item())
