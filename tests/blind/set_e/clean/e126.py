from dataclasses import dataclass, field
from typing import List

import torch
from torch import Tensor, nn


@dataclass
class Node:
    feature: Tensor
    children: List["Node"] = field(default_factory=list)

    def depth(self):
        return 1 + max((c.depth() for c in self.children), default=0)


class TreeLSTM(nn.Module):
    def __init__(self, d_in, d_h):
        super().__init__()
        self.iou, self.u_iou = nn.Linear(d_in, 3 * d_h), nn.Linear(d_h, 3 * d_h, bias=False)
        self.f, self.u_f = nn.Linear(d_in, d_h), nn.Linear(d_h, d_h, bias=False)
        self.d_h = d_h

    @property
    def _anchor(self):
        return self.iou.weight

    def zero_state(self):
        z = self._anchor.new_zeros(self.d_h)
        return z, z.clone()

    def forward(self, node):
        x = node.feature.to(self._anchor.device)
        states = [self(child) for child in node.children]
        h_sum, c = self.zero_state()
        for h_k, _ in states:
            h_sum = h_sum + h_k
        i, o, u = (self.iou(x) + self.u_iou(h_sum)).chunk(3, -1)
        c = c + torch.sigmoid(i) * torch.tanh(u)
        for h_k, c_k in states:
            c = c + torch.sigmoid(self.f(x) + self.u_f(h_k)) * c_k
        return torch.sigmoid(o) * torch.tanh(c), c
