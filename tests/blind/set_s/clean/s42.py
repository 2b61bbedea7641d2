import torch
import torch.nn as nn
import torch.nn.functional as F


class HistogramLoss(nn.Module):
    """Soft assignment to bins whose centres start at whole numbers and are learnt."""

    def __init__(self, bins=5):
        super().__init__()
        self.order = nn.Parameter(torch.arange(bins), requires_grad=False)
        self.centres = nn.Parameter(torch.arange(bins).float())
        self.log_width = nn.Parameter(torch.zeros(bins))

    def forward(self, value, target):
        logits = -((value.unsqueeze(-1) - self.centres) / self.log_width.exp()).square()
        spread = (target.unsqueeze(-1) - self.order).abs()
        soft = F.softmax(-spread.float(), dim=-1)
        return -(soft * logits.log_softmax(-1)).sum(-1).mean()


class AgeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(7, 16), nn.ReLU(), nn.Linear(16, 1))
        self.offset = nn.Parameter(torch.full((1,), 2.0))

    def forward(self, x):
        return (self.net(x) + self.offset).squeeze(-1)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, criterion = AgeNet().to(device), HistogramLoss().to(device)
    learnt = [p for m in (model, criterion) for p in m.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(learnt, lr=1e-2)
    x = torch.randn(64, 7, device=device)
    age = x[:, 0].mul(1.5).add(2).round().clamp(0, 4).long()
    for epoch in range(5):
        loss = criterion(model(x), age)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item(), criterion.centres.tolist())


if __name__ == "__main__":
    main()
