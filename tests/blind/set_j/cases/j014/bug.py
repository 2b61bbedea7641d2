import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class FocalLoss(nn.Module):
    def __init__(self, class_weights=None, gamma=2.0):
        super().__init__()
        self.register_buffer("class_weights", class_weights)
        self.gamma = gamma

    def forward(self, logits, target):
        logp = F.log_softmax(logits, dim=1)
        pt = logp.gather(1, target[:, None]).squeeze(1).exp()
        ce = F.nll_loss(logp, target, weight=self.class_weights, reduction="none")
        return ((1 - pt) ** self.gamma * ce).mean()


def inverse_frequency(targets, n):
    counts = torch.bincount(targets, minlength=n).float()
    return counts.sum() / (n * counts.clamp(min=1))


def build(device):
    x = torch.randn(96, 10)
    y = torch.multinomial(torch.tensor([0.7, 0.2, 0.1]), 96, replacement=True)
    loader = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)
    model = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 3)).to(device)
    criterion = FocalLoss(inverse_frequency(y, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    return loader, model, criterion, optimizer


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader, model, criterion, optimizer = build(device)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=2 * len(loader))
    for epoch in range(2):
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
