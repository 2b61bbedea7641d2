import copy

import torch
import torch.nn as nn


class MeanTeacher(nn.Module):
    def __init__(self, student, momentum=0.95):
        super().__init__()
        self.student = student
        self.teacher = copy.deepcopy(student).requires_grad_(False)
        self.momentum = momentum
        self.register_buffer("centre", torch.zeros(student[-1].out_features))

    @torch.no_grad()
    def advance(self):
        for t, s in zip(self.teacher.parameters(), self.student.parameters()):
            t.lerp_(s, 1 - self.momentum)

    @torch.no_grad()
    def targets(self, x, temperature=0.5):
        logits = self.teacher(x)
        probs = ((logits - self.centre) / temperature).softmax(-1)
        self.centre.lerp_(logits.mean(0), 0.1)
        return probs

    def forward(self, x):
        return self.student(x).log_softmax(-1)
