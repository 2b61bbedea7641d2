from dataclasses import dataclass, fields

import torch


@dataclass
class GraphBatch:
    x: torch.Tensor
    adj: torch.Tensor
    y: torch.Tensor
    name: str = "g"

    def to(self, device):
        """Moves every tensor field, in place."""
        for f in fields(self):
            v = getattr(self, f.name)
            if torch.is_tensor(v):
                setattr(self, f.name, v.to(device))
        return self

    def detach(self):
        self.x = self.x.detach()
        return self


def make(n=6):
    a = (torch.rand(n, n) > 0.5).float()
    return GraphBatch(torch.randn(n, 5), a, torch.randint(0, 2, (n,)))
