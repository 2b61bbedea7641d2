import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Subset, random_split


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2 ** 32
    np.random.seed(seed)
    random.seed(seed)


def make_loaders(dataset, batch_size, val_ratio=0.25, seed=0, workers=0):
    """The generators drive index shuffling on the host, whatever the model runs on."""
    g = torch.Generator().manual_seed(seed)
    n_val = int(len(dataset) * val_ratio)
    train, val = random_split(dataset, [len(dataset) - n_val, n_val], generator=g)
    shuffle_g = torch.Generator()
    shuffle_g.manual_seed(seed + 1)
    kwargs = dict(batch_size=batch_size, num_workers=workers, worker_init_fn=seed_worker,
                  pin_memory=False)
    return (DataLoader(train, shuffle=True, generator=shuffle_g, drop_last=True, **kwargs),
            DataLoader(val, **kwargs))


def fold(dataset, k, folds):
    idx = torch.randperm(len(dataset), generator=torch.Generator().manual_seed(k)).tolist()
    return Subset(dataset, idx[k::folds])
