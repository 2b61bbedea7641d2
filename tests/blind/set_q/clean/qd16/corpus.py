from collections import Counter

import numpy as np
import torch


class Vocab:
    def __init__(self, words):
        self.counts = Counter(words)
        self.itos = sorted(self.counts)
        self.stoi = {w: i for i, w in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def encode(self, words):
        return np.array([self.stoi[w] for w in words])

    def noise_distribution(self):
        f = np.array([self.counts[w] for w in self.itos], dtype=np.float64) ** 0.75
        return torch.from_numpy((f / f.sum()).astype(np.float32))


def pairs(ids, window):
    c, o = [], []
    for d in range(1, window + 1):
        c += [ids[d:], ids[:-d]]
        o += [ids[:-d], ids[d:]]
    return torch.from_numpy(np.concatenate(c)), torch.from_numpy(np.concatenate(o))
