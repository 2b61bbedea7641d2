import torch
import torch.nn as nn


class Patches(nn.Module):
    def __init__(self, size, dim):
        super().__init__()
        self.conv = nn.Conv2d(1, dim, size, stride=size)
        self.mix = nn.TransformerEncoderLayer(dim, 2, 2 * dim, dropout=0.0, batch_first=True)

    def forward(self, x):
        return self.mix(self.conv(x).flatten(2).transpose(1, 2)).mean(1)


@torch.inference_mode()
def extract(encoder, images, batch=16):
    encoder.eval()
    return torch.cat([encoder(part) for part in images.split(batch)])
