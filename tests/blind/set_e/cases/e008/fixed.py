import torch
from torch import nn


class NoisyStudent:
    def __init__(self, dim=6, classes=3, smooth=0.9):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = nn.Sequential(nn.Linear(dim, 16), nn.ReLU(), nn.Linear(16, classes)).to(self.device)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=1e-3)
        self.smooth = smooth
        self.ema_loss = None

    def train_step(self, x, y):
        x, y = x.to(self.device), y.to(self.device)
        loss = nn.functional.cross_entropy(self.net(x + 0.1 * torch.randn_like(x)), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        if self.ema_loss is None:
            self.ema_loss = loss.item()
        else:
            self.ema_loss = self.smooth * self.ema_loss + (1 - self.smooth) * loss.item()
        return self.ema_loss


def main(steps=20):
    trainer = NoisyStudent()
    for step in range(steps):
        value = trainer.train_step(torch.randn(8, 6), torch.randint(0, 3, (8,)))
        if step % 5 == 0:
            print(f"{step}: {value:.3f}")
    return trainer


if __name__ == "__main__":
    main()
