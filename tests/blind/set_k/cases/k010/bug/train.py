import torch
import torch.nn as nn

from fpn import PyramidNeck


class Segmenter(nn.Module):
    def __init__(self, widths=(8, 16, 32), dim=16, classes=3):
        super().__init__()
        stages, prev = [], 3
        for w in widths:
            stages.append(nn.Sequential(nn.Conv2d(prev, w, 3, stride=2, padding=1), nn.ReLU()))
            prev = w
        self.stages = nn.ModuleList(stages)
        self.neck = PyramidNeck(widths, dim)
        self.head = nn.Conv2d(dim, classes, 1)

    def forward(self, x):
        feats = []
        for stage in self.stages:
            x = stage(x)
            feats.append(x)
        return self.head(self.neck(feats)[0])


def run(device, steps=4):
    model = Segmenter().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss()
    for i in range(steps):
        image = torch.randn(2, 3, 32, 32, device=device)
        label = torch.randint(0, 3, (2, 16, 16), device=device)
        loss = criterion(model(image), label)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        print(i, f"{loss.item():.3f}")


if __name__ == "__main__":
    run("cuda" if torch.cuda.is_available() else "cpu")
