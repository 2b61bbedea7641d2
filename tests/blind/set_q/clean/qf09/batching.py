from typing import List, NamedTuple, Tuple

import torch
from torch.utils.data import Sampler


class Document(NamedTuple):
    paragraphs: List[torch.Tensor]
    label: int


class PackedDocs:
    def __init__(self, words, offsets, slots, labels, sizes):
        self.words, self.offsets, self.slots, self.labels, self.sizes = words, offsets, slots, labels, sizes

    def __len__(self):
        return len(self.sizes)

    def to(self, device):
        mv = lambda t: t.to(device, non_blocking=True)
        return PackedDocs(mv(self.words), mv(self.offsets), tuple(map(mv, self.slots)), mv(self.labels), self.sizes)


def collate(docs):
    flat = [p for d in docs for p in d.paragraphs]
    lens = torch.tensor([0] + [len(p) for p in flat[:-1]])
    sizes = [len(d.paragraphs) for d in docs]
    rows = torch.repeat_interleave(torch.arange(len(docs)), torch.tensor(sizes))
    cols = torch.cat([torch.arange(s) for s in sizes])
    return PackedDocs(torch.cat(flat), lens.cumsum(0), (rows, cols), torch.tensor([d.label for d in docs]), sizes)


class BucketSampler(Sampler):
    def __init__(self, lengths, batch_size, seed=0):
        self.order = torch.tensor(lengths).argsort(stable=True)
        self.batch_size, self.seed, self.epoch = batch_size, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return -(-len(self.order) // self.batch_size)

    def __iter__(self):
        g = torch.Generator().manual_seed(self.seed + self.epoch)
        chunks = self.order.split(self.batch_size)
        for i in torch.randperm(len(chunks), generator=g).tolist():
            yield chunks[i].tolist()
