import torch.nn as nn

from .encoder import ConvEncoder


class SpeakerNet(nn.Module):
    def __init__(self, speakers):
        super().__init__()
        self.encoder = ConvEncoder()
        self.classifier = nn.Sequential(nn.LayerNorm(self.encoder.dim), nn.Linear(self.encoder.dim, speakers))

    def forward(self, x):
        return self.classifier(self.encoder(x).mean(-1))
