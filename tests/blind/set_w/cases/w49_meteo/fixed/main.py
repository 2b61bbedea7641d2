import torch
from torch import nn
from grid import Climatology


class Forecast(nn.Module):
    def __init__(self, c=3, hid=12):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(c, hid, 3, padding=1, padding_mode="circular"), nn.GELU(), nn.Conv2d(hid, c, 1)
        )

    def forward(self, x, lead=1):
        for _ in range(lead):
            x = x + self.body(x)
        return x


def main():
    torch.set_default_device("cuda" if torch.cuda.is_available() else "cpu")
    clim = Climatology()
    net = Forecast()
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    for step in range(3):
        now = clim.fields(4)
        later = now + 0.1 * torch.randn_like(now)
        loss = clim.rmse(net(now, lead=2), later).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


main()
