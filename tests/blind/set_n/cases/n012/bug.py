from dataclasses import dataclass, field
import torch
from torch import nn


@dataclass
class PromptConfig:
    tokens: int = 4
    dim: int = 16
    classes: int = 3
    device: torch.device = field(default_factory=lambda: torch.device("cuda" if torch.cuda.is_available() else "cpu"))


class PromptTuned(nn.Module):
    def __init__(self, cfg, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False)
        init = torch.randn(cfg.tokens, cfg.dim, generator=torch.Generator().manual_seed(0)) * 0.02
        self.prompt = nn.Parameter(init).to(cfg.device)
        self.classifier = nn.Linear(cfg.dim, cfg.classes)

    def forward(self, x):
        p = self.prompt.unsqueeze(0).expand(x.size(0), -1, -1)
        h = self.backbone(torch.cat([p, x], dim=1))
        return self.classifier(h[:, 0])


def make_backbone(dim):
    layer = nn.TransformerEncoderLayer(dim, 2, dim_feedforward=32, dropout=0.0, batch_first=True)
    return nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)


cfg = PromptConfig()
model = PromptTuned(cfg, make_backbone(cfg.dim)).to(cfg.device)
trainable = [p for p in model.parameters() if p.requires_grad]
opt = torch.optim.AdamW(trainable, lr=5e-3)
for _ in range(2):
    x = torch.randn(5, 6, cfg.dim, device=cfg.device)
    y = torch.randint(0, cfg.classes, (5,), device=cfg.device)
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(sum(p.numel() for p in trainable), "trained", loss.item())
