import torch
import torch.nn as nn
import torch.nn.functional as F

from schedule import CosineSchedule


class Denoiser(nn.Module):
    def __init__(self, dim=2, hidden=32, steps=50):
        super().__init__()
        self.time = nn.Embedding(steps, hidden)
        self.inp = nn.Linear(dim, hidden)
        self.out = nn.Sequential(nn.SiLU(), nn.Linear(hidden, dim))

    def forward(self, x, t):
        return self.out(self.inp(x) + self.time(t))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    schedule = CosineSchedule(50)
    model = Denoiser(steps=schedule.steps).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    points = torch.randn(256, 2)
    for step in range(12):
        x0 = points[torch.randint(0, 256, (32,))].to(device)
        t = torch.randint(0, schedule.steps, (32,))
        eps = torch.randn_like(x0)
        loss = F.mse_loss(model(schedule.noise(x0, t, eps), t.to(device)), eps)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("loss", loss.item())


if __name__ == "__main__":
    main()
