import torch
import torch.nn as nn
import torch.nn.functional as F


class Bottleneck(nn.Module):
    def __init__(self, cin, cout, dilation):
        super().__init__()
        self.cin, self.cout = cin, cout
        pad = dilation
        self.conv1 = nn.Conv1d(cin, cout, 3, padding=pad, dilation=dilation)
        self.conv2 = nn.Conv1d(cout, cout, 3, padding=pad, dilation=dilation)
        self.norm = nn.GroupNorm(2, cout)

    def forward(self, x):
        h = F.relu(self.norm(self.conv1(x)))
        h = self.conv2(h)
        if self.cin != self.cout:
            x = nn.Conv1d(self.cin, self.cout, 1)(x)
        return F.relu(h + x)


class TCN(nn.Module):
    def __init__(self, channels=(2, 8, 8, 16), classes=3):
        super().__init__()
        self.blocks = nn.Sequential(
            *[Bottleneck(a, b, 2 ** i) for i, (a, b) in enumerate(zip(channels, channels[1:]))]
        )
        self.head = nn.Linear(channels[-1], classes)

    def forward(self, x):
        return self.head(self.blocks(x)[..., -1])


class Sensor(torch.utils.data.Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, i):
        label = i % 3
        t = torch.linspace(0, 6.28, 32)
        wave = torch.stack([torch.sin((label + 1) * t), torch.cos((label + 1) * t)])
        return wave + 0.2 * torch.randn_like(wave), label


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = torch.utils.data.DataLoader(Sensor(), batch_size=10, shuffle=True)
    net = TCN().to(device)
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    for epoch in range(2):
        for wave, label in loader:
            wave, label = wave.to(device), label.to(device)
            opt.zero_grad()
            loss = F.cross_entropy(net(wave), label)
            loss.backward()
            opt.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
