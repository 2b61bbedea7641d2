import torch
import torch.nn as nn
import torch.nn.functional as F


class WaveletDown(nn.Module):
    def __init__(self, channels):
        super().__init__()
        low = torch.tensor([0.7071, 0.7071])
        high = torch.tensor([0.7071, -0.7071])
        kernel = torch.stack([low, high]).unsqueeze(1).repeat(channels, 1, 1)
        self.kernel = kernel
        self.mix = nn.Conv1d(2 * channels, channels, 1)
        self.channels = channels

    def forward(self, x):
        bands = F.conv1d(x, self.kernel, stride=2, groups=self.channels)
        return self.mix(bands)
