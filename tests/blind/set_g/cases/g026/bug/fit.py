import torch
import torch.nn as nn

from report import summarise


class FourierNet(nn.Module):
    def __init__(self, n_freq=6, width=32):
        super().__init__()
        self.register_buffer("freq", torch.arange(1, n_freq + 1).float())
        self.mlp = nn.Sequential(nn.Linear(2 * n_freq, width), nn.SiLU(), nn.Linear(width, 1))

    def forward(self, x):
        angle = x * self.freq
        return self.mlp(torch.cat([angle.sin(), angle.cos()], dim=-1))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.linspace(-3, 3, 200, device=device)[:, None]
    y = torch.sin(2 * x) + 0.3 * x
    train, test = slice(0, 150), slice(150, 200)
    model = FourierNet().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(21):
        optimizer.zero_grad()
        prediction = model(x)
        loss = nn.functional.mse_loss(prediction[train], y[train])
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(step, summarise("held out", y[test], prediction[test]))


if __name__ == "__main__":
    main()
