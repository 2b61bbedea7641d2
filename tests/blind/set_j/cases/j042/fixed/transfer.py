import torch.nn as nn


class Backbone(nn.Module):
    out_dim = 24

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(12, 24), nn.LayerNorm(24), nn.GELU(), nn.Linear(24, self.out_dim))

    def forward(self, x):
        return self.layers(x)


class Transfer(nn.Module):
    def __init__(self, backbone, classes):
        super().__init__()
        self.backbone = backbone
        self.classifier = nn.Sequential(nn.ReLU(), nn.Dropout(0.2), nn.Linear(backbone.out_dim, classes))

    def forward(self, x):
        return self.classifier(self.backbone(x))

    def freeze_backbone(self):
        self.backbone.eval()
        for p in self.backbone.parameters():
            p.requires_grad = False
