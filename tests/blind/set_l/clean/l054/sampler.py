import torch
from torch.utils.data import Sampler


class LengthBucketSampler(Sampler):
    """Indexes stay on the CPU: the loader and the data set need them there."""

    def __init__(self, lengths, batch_size, seed=0):
        self.lengths = torch.as_tensor(lengths)
        self.batch_size = batch_size
        self.gen = torch.Generator().manual_seed(seed)

    def __len__(self):
        return (len(self.lengths) + self.batch_size - 1) // self.batch_size

    def __iter__(self):
        noise = torch.rand(len(self.lengths), generator=self.gen)
        order = (self.lengths + noise).argsort()
        chunks = list(order.split(self.batch_size))
        for i in torch.randperm(len(chunks), generator=self.gen).tolist():
            yield chunks[i].tolist()
