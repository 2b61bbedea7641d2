import torch.nn as nn

from blocks import conv_bn, merge


class SegNet(nn.Module):
    def __init__(self, num_classes, width=16):
        super().__init__()
        self.enc1 = conv_bn(3, width)
        self.enc2 = conv_bn(width, width * 2, stride=2)
        self.enc3 = conv_bn(width * 2, width * 4, stride=2)
        self.dec2 = conv_bn(width * 4, width * 2)
        self.dec1 = conv_bn(width * 2, width)
        self.head = nn.Conv2d(width, num_classes, 1)

    def forward(self, x):
        s1 = self.enc1(x)
        s2 = self.enc2(s1)
        x = self.enc3(s2)
        x = self.dec2(merge(s2, x))
        x = self.dec1(merge(s1, x))
        return self.head(x)
