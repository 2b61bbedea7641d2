import torch
from torch import nn


class NormalizedModel(nn.Module):
    """Base of the image models: subclasses implement `features` and call `normalize`."""

    def __init__(self, mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225)):
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(std).view(1, -1, 1, 1), persistent=False)

    def normalize(self, images):
        return (images - self.mean) / self.std

    def features(self, images):
        raise NotImplementedError
