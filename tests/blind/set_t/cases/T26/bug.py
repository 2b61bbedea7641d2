import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F


class WaveEncoder(nn.Module):
    """Stands in for a pretrained speech encoder."""

    def __init__(self, dim=32):
        super().__init__()
        self.features = nn.Sequential(nn.Conv1d(1, dim, 10, stride=5), nn.GELU(), nn.Conv1d(dim, dim, 4, stride=2), nn.GELU())
        layer = nn.TransformerEncoderLayer(dim, 4, 64, batch_first=True)
        self.context = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, wave):
        return self.context(self.features(wave.unsqueeze(1)).transpose(1, 2))


class EmotionClassifier(nn.Module):
    def __init__(self, encoder, classes=4, dim=32):
        super().__init__()
        self.encoder = encoder
        self.attention = nn.Linear(dim, 1)
        self.head = nn.Linear(dim, classes)

    def forward(self, wave):
        h = self.encoder(wave)
        w = self.attention(h).softmax(1)
        return self.head((w * h).sum(1))


def freeze(module, names):
    """names: dotted names of sub-modules that keep their pretrained weights"""
    for name in names:
        part = module.get_submodule(name)
        part.requires_grad = False


def trainable(module):
    return [p for p in module.parameters() if p.requires_grad]


def main(args):
    torch.manual_seed(0)
    model = EmotionClassifier(WaveEncoder())
    freeze(model, args.freeze)
    optimizer = torch.optim.AdamW(trainable(model), lr=args.lr)
    for step in range(args.steps):
        wave = torch.randn(4, 400)
        label = torch.randint(0, 4, (4,))
        loss = F.cross_entropy(model(wave), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())
    return model


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--freeze", nargs="*", default=["encoder.features", "encoder.context.layers.0"])
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--steps", type=int, default=3)
    model = main(parser.parse_args())
