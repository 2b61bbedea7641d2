from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    classes: int = 5
    lr: float = 3e-3
    steps: int = 8
    batch: int = 12
    freeze_encoder: bool = True


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, stride=2, padding=1)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        return x.mean(dim=(2, 3))


class Classifier(nn.Module):
    def __init__(self, encoder, classes):
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(16, classes)

    def forward(self, x):
        return self.head(self.encoder(x))


def build(cfg, device):
    model = Classifier(Encoder(), cfg.classes)
    if cfg.freeze_encoder:
        model.encoder.requires_grad = False
    return model.to(device)


cfg = Config()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = build(cfg, device)
trainable = [p for p in model.parameters() if p.requires_grad]
print("trainable", sum(p.numel() for p in trainable))
optimizer = torch.optim.AdamW(trainable, lr=cfg.lr)

for step in range(cfg.steps):
    images = torch.randn(cfg.batch, 3, 24, 24, device=device)
    labels = torch.randint(cfg.classes, (cfg.batch,), device=device)
    loss = F.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 4 == 0:
        print(step, loss.item())
