import torch.nn as nn


class Upsampler(nn.Module):
    def __init__(self, mel=8, width=16):
        super().__init__()
        self.pre = nn.Conv1d(mel, width, 3, padding=1)
        self.ups = nn.ModuleList(
            nn.ConvTranspose1d(width >> i, width >> (i + 1), 4, stride=2, padding=1) for i in range(2)
        )
        self.post = nn.Conv1d(width >> 2, 1, 7, padding=3)
        self.act = nn.LeakyReLU(0.1)

    def forward(self, mel):
        h = self.pre(mel)
        for up in self.ups:
            h = up(self.act(h))
        return self.post(self.act(h)).tanh()
