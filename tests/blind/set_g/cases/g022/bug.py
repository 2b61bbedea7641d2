from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class ViTConfig:
    image: int = 8
    patch: int = 4
    dim: int = 24
    depth: int = 1
    heads: int = 4
    classes: int = 3
    device: str = "cuda" if torch.cuda.is_available() else "cpu"


class ViT(nn.Module):
    def __init__(self, cfg: ViTConfig):
        super().__init__()
        tokens = (cfg.image // cfg.patch) ** 2
        self.embed = nn.Conv2d(3, cfg.dim, cfg.patch, cfg.patch)
        self.cls_token = nn.Parameter(torch.randn(1, 1, cfg.dim) * 0.02).to(cfg.device)
        self.pos = nn.Parameter(torch.zeros(1, tokens + 1, cfg.dim))
        layer = nn.TransformerEncoderLayer(cfg.dim, cfg.heads, 2 * cfg.dim, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, cfg.depth, enable_nested_tensor=False)
        self.head = nn.Linear(cfg.dim, cfg.classes)

    def forward(self, images):
        x = self.embed(images).flatten(2).transpose(1, 2)
        cls = self.cls_token.expand(x.size(0), -1, -1)
        x = torch.cat([cls, x], dim=1) + self.pos
        return self.head(self.encoder(x)[:, 0])


cfg = ViTConfig()
model = ViT(cfg).to(cfg.device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.05)
criterion = nn.CrossEntropyLoss()

for step in range(3):
    images = torch.randn(4, 3, cfg.image, cfg.image, device=cfg.device)
    labels = torch.randint(0, cfg.classes, (4,), device=cfg.device)
    loss = criterion(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.4f}")
