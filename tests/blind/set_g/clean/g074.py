import torch
import torch.nn as nn
import torch.nn.functional as F


class DeepSupervised(nn.Module):
    """The auxiliary head speaks only in training."""

    def __init__(self, classes=3):
        super().__init__()
        self.early = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
        self.late = nn.Sequential(nn.Linear(16, 16), nn.ReLU())
        self.head = nn.Linear(16, classes)
        self.aux = nn.Linear(16, classes)

    def forward(self, x):
        e = self.early(x)
        out = self.head(self.late(e))
        if self.training:
            return out, self.aux(e)
        return out


class Schedule:
    def __init__(self, start=0.4, steps=4):
        self.start, self.steps = start, steps

    def __call__(self, step):
        return self.start * (1 - step / self.steps)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, weight = DeepSupervised().to(device), Schedule()
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(4):
        model.train()
        x = torch.randn(16, 8, device=device)
        y = torch.randint(0, 3, (16,), device=device)
        out, aux = model(x)
        loss = F.cross_entropy(out, y)
        if weight(step) > 0:
            loss = loss + weight(step) * F.cross_entropy(aux, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        model.eval()
        with torch.no_grad():
            acc = (model(x).argmax(-1) == y).float().mean().item()
        print(step, loss.item(), acc)


if __name__ == "__main__":
    main()
