from torch import nn


class TinyVocoder(nn.Module):
    def __init__(self, mels=8, hop=4):
        super().__init__()
        self.net = nn.Sequential(nn.Conv1d(mels, 16, 3, padding=1), nn.LeakyReLU(0.1), nn.ConvTranspose1d(16, 1, hop, hop))

    def forward(self, mel):
        return self.net(mel).tanh().squeeze(1)
