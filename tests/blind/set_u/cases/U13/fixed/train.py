import torch
import torch.nn as nn

from losses import pixel_accuracy, soft_dice

CLASSES = 4
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class MiniSeg(nn.Module):
    def __init__(self, c=12):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, c, 3, padding=1), nn.InstanceNorm2d(c), nn.ReLU(),
            nn.Conv2d(c, c, 3, padding=1), nn.ReLU(),
            nn.Conv2d(c, CLASSES, 1),
        )

    def forward(self, x):
        return self.net(x)


def slices(n):
    for _ in range(n):
        mask = torch.randint(0, CLASSES, (2, 24, 24), device=device)
        yield mask[:, None].float() + 0.3 * torch.randn(2, 1, 24, 24, device=device), mask


def run_epoch(model, opt, n):
    model.train()
    for image, mask in slices(n):
        logits = model(image)
        pred = logits.argmax(dim=1)
        loss = soft_dice(logits, mask, CLASSES)
        acc = pixel_accuracy(pred, mask)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"dice loss {loss.item():.4f} acc {acc:.3f}")


model = MiniSeg().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(2):
    run_epoch(model, optimizer, 3)
