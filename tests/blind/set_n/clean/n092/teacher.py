import copy
import torch


class MeanTeacher:
    def __init__(self, student, decay=0.95):
        self.student = student
        self.net = copy.deepcopy(student).requires_grad_(False)
        self.decay, self.n = decay, 0

    @torch.no_grad()
    def update(self):
        self.n += 1
        d = min(self.decay, self.n / (self.n + 10))
        for t, s in zip(self.net.parameters(), self.student.parameters()):
            t.mul_(d).add_(s, alpha=1 - d)
        for t, s in zip(self.net.buffers(), self.student.buffers()):
            t.copy_(s)

    @torch.no_grad()
    def __call__(self, x):
        return self.net(x)
