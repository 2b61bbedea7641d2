import torch
import torch.nn as nn
import torch.nn.functional as F

from amp import Precision


class ConvNet(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.GroupNorm(2, 8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.GroupNorm(2, 16), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
        )
        self.fc = nn.Linear(16, classes)

    def forward(self, x):
        return self.fc(self.features(x).flatten(1))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = ConvNet().to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    precision = Precision(device)
    params = list(model.parameters())
    for step in range(4):
        x = torch.randn(8, 1, 16, 16).to(device)
        y = torch.randint(0, 4, (8,)).to(device)
        with precision.autocast():
            logits = model(x)
        loss = F.cross_entropy(logits.float(), y)
        norm = precision.step(loss, opt, params)
        print(step, loss.item(), norm.item())


if __name__ == "__main__":
    main()
