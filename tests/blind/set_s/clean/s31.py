import torch
from torch.utils.data import DataLoader, TensorDataset, random_split


class SeededNoise:
    """The same noise on every machine: drawn on the CPU, then moved."""

    def __init__(self, seed):
        self.seed = seed
        self.rng = torch.Generator().manual_seed(seed)

    def like(self, x):
        return torch.randn(x.shape, generator=self.rng, dtype=x.dtype).to(x.device)

    def indices(self, n, k):
        return torch.randperm(n, generator=self.rng)[:k]

    def reset(self):
        self.rng.manual_seed(self.seed)


def split_loaders(dataset, fraction, batch_size, seed):
    rng = torch.Generator().manual_seed(seed)
    n = int(len(dataset) * fraction)
    train, val = random_split(dataset, [n, len(dataset) - n], generator=rng)
    return DataLoader(train, batch_size, shuffle=True, generator=rng), DataLoader(val, batch_size)


def augmented(loader, noise, device, sigma=0.1):
    for x, y in loader:
        x = x.to(device, non_blocking=True)
        yield x + sigma * noise.like(x), y.to(device, non_blocking=True)


def support_set(features, labels, noise, k):
    """k random rows of a bank that may live anywhere; the indices stay on the CPU."""
    idx = noise.indices(len(features), k)
    return features[idx], labels[idx]
