import torch
from torch import nn


def gram(f):
    b, c, h, w = f.shape
    f = f.reshape(b, c, h * w)
    return f @ f.transpose(1, 2) / (c * h * w)


class StyleLoss(nn.Module):
    """A criterion with targets of its own; moves itself to where its first input is."""

    def __init__(self, encoder, style_image):
        super().__init__()
        self.encoder = encoder.requires_grad_(False).eval()
        with torch.no_grad():
            for i, feat in enumerate(self.features(style_image)):
                self.register_buffer(f"target{i}", gram(feat))

    def features(self, x):
        for layer in self.encoder:
            x = layer(x)
            if isinstance(layer, nn.ReLU):
                yield x

    def forward(self, x):
        if self.target0.device != x.device:
            self.to(x.device)
        return sum(nn.functional.mse_loss(gram(f), getattr(self, f"target{i}")) for i, f in enumerate(self.features(x)))
