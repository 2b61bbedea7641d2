import random
import numpy as np
import torch


class Seeds:
    def __init__(self, seed, device):
        random.seed(seed)
        np.random.seed(seed)
        torch.manual_seed(seed)
        self.host = torch.Generator().manual_seed(seed + 1)
        self.device = torch.Generator(device=device).manual_seed(seed + 2)


def worker_init(worker_id):
    np.random.seed(torch.initial_seed() % 2 ** 32)
