import torch
from torch import nn


class SparseAutoencoder(nn.Module):
    def __init__(self, dim=10, code=6, classes=3):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(dim, code), nn.ReLU())
        self.decode = nn.Linear(code, dim)
        self.classify = nn.Linear(code, classes)

    def forward(self, x):
        code = self.encode(x)
        return {"code": code, "recon": self.decode(code), "logits": self.classify(code)}
