import copy
import math

import torch
import torch.nn as nn


class Teacher(nn.Module):
    def __init__(self, student, out, temp=0.05):
        super().__init__()
        self.net = copy.deepcopy(student)
        self.net.requires_grad_(False)
        self.temp = temp
        self.register_buffer("center", torch.zeros(1, out))

    @torch.no_grad()
    def targets(self, views):
        outs = [self.net(v) for v in views]
        probs = [((o - self.center) / self.temp).softmax(-1) for o in outs]
        self.center.mul_(0.9).add_(torch.cat(outs).mean(0, keepdim=True), alpha=0.1)
        return probs

    @torch.no_grad()
    def update(self, student, m):
        for t, s in zip(self.net.parameters(), student.parameters()):
            t.mul_(m).add_(s, alpha=1 - m)


def cosine(start, end, n):
    for i in range(n):
        yield end - (end - start) * (math.cos(math.pi * i / n) + 1) / 2
