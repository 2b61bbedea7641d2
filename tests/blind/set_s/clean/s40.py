import torch
import torch.nn as nn
import torch.nn.functional as F


class Pyramid(nn.Module):
    """Layers are reached through a list and registered one by one under readable names."""

    def __init__(self, widths=(3, 8, 12), classes=3):
        super().__init__()
        self.stages = []
        for i, (a, b) in enumerate(zip(widths[:-1], widths[1:])):
            stage = nn.Sequential(nn.Conv2d(a, b, 3, stride=2, padding=1), nn.BatchNorm2d(b), nn.ReLU())
            self.add_module(f"stage{i}", stage)
            self.stages.append(stage)
        self.lateral = nn.ModuleDict({f"l{i}": nn.Conv2d(w, 8, 1) for i, w in enumerate(widths[1:])})
        self.heads = {}
        for name, size in (("cls", classes), ("box", 4)):
            setattr(self, f"{name}_head", nn.Linear(8, size))
            self.heads[name] = f"{name}_head"

    def forward(self, x):
        pooled = 0
        for i, stage in enumerate(self.stages):
            x = stage(x)
            pooled = pooled + self.lateral[f"l{i}"](x).mean(dim=(2, 3))
        return {name: getattr(self, attr)(pooled) for name, attr in self.heads.items()}


def losses(out, labels, boxes):
    return {"cls": F.cross_entropy(out["cls"], labels), "box": F.l1_loss(out["box"].sigmoid(), boxes)}


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Pyramid().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    images, labels = torch.randn(8, 3, 16, 16).to(device), torch.randint(0, 3, (8,)).to(device)
    boxes = torch.rand(8, 4, device=device)
    for step in range(6):
        parts = losses(model(images), labels, boxes)
        loss = sum(parts.values())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print({k: round(v.item(), 3) for k, v in parts.items()}, len(model.state_dict()))


if __name__ == "__main__":
    main()
