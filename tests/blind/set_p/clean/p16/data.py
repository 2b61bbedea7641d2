from typing import NamedTuple

import torch
from torch.nn.utils.rnn import pad_sequence


class Batch(NamedTuple):
    frames: torch.Tensor
    lengths: torch.Tensor
    target: torch.Tensor

    def place(self, device):
        return Batch(self.frames.to(device), self.lengths, self.target.to(device))


def make_batches(n, size=6):
    for _ in range(n):
        clips = [torch.randn(int(k), 5) for k in torch.randint(3, 12, (size,))]
        lengths = torch.tensor([len(c) for c in clips])
        yield Batch(pad_sequence(clips, batch_first=True), lengths, torch.rand(size))
