import torch
import torch.nn as nn


class ConvEncoder(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU())
        self.body = nn.Sequential(nn.Conv2d(width, width * 2, 3, stride=2, padding=1), nn.ReLU())
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.out_dim = width * 2

    def forward(self, x):
        return self.pool(self.body(self.stem(x))).flatten(1)


class Classifier(nn.Module):
    def __init__(self, encoder, classes):
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(encoder.out_dim, classes)

    def freeze_encoder(self):
        self.encoder.eval()
        for block in self.encoder.children():
            block.requires_grad = False

    def forward(self, x):
        return self.head(self.encoder(x))
