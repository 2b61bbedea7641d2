import torch
import torch.nn as nn
import torch.nn.functional as F


class ViTish(nn.Module):
    def __init__(self, classes=4, dim=16, depth=2):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, 4, stride=4)
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(dim, 2, 32, batch_first=True) for _ in range(depth))
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.size(0), -1, -1), x], dim=1)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x[:, 0]))


def param_groups(model, lr, decay, layer_decay=0.8):
    depth = len(model.blocks)
    groups = {}
    for name, p in model.named_parameters():
        if not p.requires_grad:
            continue
        level = int(name.split(".")[1]) + 1 if name.startswith("blocks.") else (0 if name.startswith(("patch", "cls")) else depth + 1)
        wd = 0.0 if p.ndim == 1 or name == "cls" else decay
        key = (level, wd)
        group = groups.setdefault(key, {"params": [], "weight_decay": wd, "lr": lr * layer_decay ** (depth + 1 - level)})
        group["params"].append(p)
    return list(groups.values())


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = ViTish().to(device)
    model.head = nn.Linear(16, 6).to(device)
    optimizer = torch.optim.AdamW(param_groups(model, 1e-3, 0.05))
    images, labels = torch.randn(16, 3, 16, 16, device=device), torch.randint(0, 6, (16,), device=device)
    for epoch in range(2):
        for x, y in zip(images.split(8), labels.split(8)):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        print(epoch, loss.item(), [round(g["lr"], 5) for g in optimizer.param_groups])


if __name__ == "__main__":
    main()
