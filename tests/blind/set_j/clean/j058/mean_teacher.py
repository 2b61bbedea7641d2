import copy

import torch
import torch.nn as nn


class MeanTeacher(nn.Module):
    def __init__(self, student, decay):
        super().__init__()
        self.student = student
        self.teacher = copy.deepcopy(student)
        self.teacher.requires_grad_(False)
        self.decay = decay

    def train(self, mode=True):
        super().train(mode)
        self.teacher.eval()
        return self

    @torch.no_grad()
    def update(self, step):
        d = min(1 - 1 / (step + 1), self.decay)
        for t, s in zip(self.teacher.parameters(), self.student.parameters()):
            t.mul_(d).add_(s, alpha=1 - d)
        for t, s in zip(self.teacher.buffers(), self.student.buffers()):
            t.copy_(s)

    def forward(self, x):
        return self.student(x)
