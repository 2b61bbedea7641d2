from torch import nn


class Backbone(nn.Module):
    def __init__(self, inputs=12, dim=24, layers=3):
        super().__init__()
        self.embed = nn.Linear(inputs, dim)
        self.layers = nn.ModuleList(nn.Sequential(nn.Linear(dim, dim), nn.ReLU()) for _ in range(layers))

    def forward(self, x):
        x = self.embed(x)
        for layer in self.layers:
            x = x + layer(x)
        return x


class FineTuned(nn.Module):
    def __init__(self, backbone, classes):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(24, classes)

    def freeze(self, upto: int):
        """Freezes the embedding and the first layers."""
        self.backbone.embed.requires_grad_(False)
        for layer in self.backbone.layers[:upto]:
            layer.requires_grad_(False)

    def forward(self, x):
        return self.head(self.backbone(x))
