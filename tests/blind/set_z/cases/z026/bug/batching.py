from dataclasses import dataclass, fields

import torch


@dataclass
class Batch:
    tokens: torch.Tensor
    lengths: torch.Tensor
    labels: torch.Tensor

    def to(self, device):
        for f in fields(self):
            setattr(self, f.name, getattr(self, f.name).to(device))
        return self

    def __len__(self):
        return self.tokens.size(0)


def pad_batch(rows) -> Batch:
    rows = sorted(rows, key=lambda r: -len(r[0]))
    lengths = torch.tensor([len(s) for s, _ in rows])
    tokens = torch.nn.utils.rnn.pad_sequence([s for s, _ in rows], batch_first=True)
    return Batch(tokens, lengths, torch.tensor([y for _, y in rows]))
