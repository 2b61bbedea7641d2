import numpy as np
import torch
from torch.utils.data import Dataset


class Clips(Dataset):
    """Decoding and augmentation happen on the host, in the workers."""

    def __init__(self, n=16, frames=6, transform=None):
        self.n, self.frames, self.transform = n, frames, transform

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        rng = np.random.default_rng(i)
        clip = torch.from_numpy(rng.normal(size=(self.frames, 1, 8, 8)).astype("float32"))
        label = int(rng.integers(0, 3))
        clip += label * 0.5
        return (self.transform(clip) if self.transform else clip), label
