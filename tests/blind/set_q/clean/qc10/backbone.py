import torch
import torch.nn as nn


class ResNetish(nn.Module):
    def __init__(self, classes, width=8):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
                                      nn.AdaptiveAvgPool2d(2), nn.Flatten())
        self.fc = nn.Linear(4 * width, classes)
        self._frozen = False

    def freeze(self):
        self._frozen = True
        for p in self.features.parameters():
            p.requires_grad_(False)

    def unfreeze(self):
        self._frozen = False
        for p in self.features.parameters():
            p.requires_grad_(True)

    def forward(self, x):
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self._frozen):
            f = self.features(x)
        return self.fc(f)


def freeze_bn(module):
    for m in module.modules():
        if isinstance(m, nn.modules.batchnorm._BatchNorm):
            m.eval()
            m.weight.requires_grad_(False)
            m.bias.requires_grad_(False)
