import torch
import torch.nn as nn
import torch.nn.functional as F


class Stages(nn.Module):
    def __init__(self, dims=(8, 16, 24, 32)):
        super().__init__()
        self.stages = nn.ModuleList(
            nn.Sequential(nn.Linear(a, b), nn.BatchNorm1d(b), nn.ReLU()) for a, b in zip(dims, dims[1:]))

    def forward(self, x):
        for s in self.stages:
            x = s(x)
        return x


class FineTuner(nn.Module):
    """Starts with the head only and thaws one stage per epoch, last stage first."""

    def __init__(self, backbone, classes):
        super().__init__()
        self.backbone = backbone.requires_grad_(False)
        self.head = nn.Linear(32, classes)
        self.thawed = 0

    def thaw(self):
        frozen = list(self.backbone.stages)[: len(self.backbone.stages) - self.thawed]
        if not frozen:
            return []
        stage = frozen[-1].requires_grad_(True)
        self.thawed += 1
        return list(stage.parameters())

    def train(self, mode=True):
        super().train(mode)
        for stage in list(self.backbone.stages)[: len(self.backbone.stages) - self.thawed]:
            stage.eval()
        return self

    def forward(self, x):
        return self.head(self.backbone(x))


def evaluate(model, x, y):
    model.eval()
    with torch.inference_mode():
        return (model(x).argmax(-1) == y).float().mean().item()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(80, 8)
    y = x[:, :4].argmax(1)
    train_x, val_x = x[:64].to(device), x[64:].to(device)
    train_y, val_y = y[:64].to(device), y[64:].to(device)
    model = FineTuner(Stages(), 4).to(device)
    optimizer = torch.optim.AdamW(model.head.parameters(), lr=1e-2)
    for epoch in range(4):
        if epoch:
            fresh = model.thaw()
            if fresh:
                optimizer.add_param_group({"params": fresh, "lr": 1e-3 * 0.5 ** epoch})
        model.train()
        for idx in torch.randperm(64).split(16):
            loss = F.cross_entropy(model(train_x[idx]), train_y[idx], label_smoothing=0.1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        active = sum(p.numel() for p in model.parameters() if p.requires_grad)
        print(epoch, active, evaluate(model, val_x, val_y))


if __name__ == "__main__":
    main()
