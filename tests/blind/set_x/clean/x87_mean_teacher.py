"""Semi-supervised mean teacher with weight standardisation after each step."""
import copy

import torch
from torch import nn
import torch.nn.functional as F


def ramp(step, length):
    return min(1.0, step / length)


class MeanTeacher:
    def __init__(self, student, decay=0.95):
        self.student = student
        self.teacher = copy.deepcopy(student)
        for p in self.teacher.parameters():
            p.requires_grad = False
        self.decay = decay
        self.opt = torch.optim.SGD(student.parameters(), lr=0.05, momentum=0.9)

    @torch.no_grad()
    def follow(self, step):
        decay = min(self.decay, 1 - 1 / (step + 1))
        for t, s in zip(self.teacher.parameters(), self.student.parameters()):
            t.mul_(decay).add_(s, alpha=1 - decay)
        for t, s in zip(self.teacher.buffers(), self.student.buffers()):
            t.copy_(s)

    def renorm(self):
        with torch.no_grad():
            w = self.student[0].weight
            w /= w.norm(dim=1, keepdim=True).clamp(min=1.0)

    def step(self, labelled, unlabelled, step):
        x, y = labelled
        everything = torch.cat([x, unlabelled])
        self.student.train()
        self.teacher.train()
        with torch.no_grad():
            targets = self.teacher(everything + 0.05 * torch.randn_like(everything)).softmax(dim=1)
        logits = self.student(everything)
        supervised = F.cross_entropy(logits[: len(x)], y)
        consistency = F.mse_loss(logits.softmax(dim=1), targets)
        loss = supervised + ramp(step, 5) * consistency
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.renorm()
        self.follow(step)
        return loss.detach()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3)).to(device)
    mt = MeanTeacher(net)
    losses = []
    for step in range(5):
        x = torch.randn(8, 6, device=device)
        losses.append(mt.step((x, x[:, :3].argmax(1)), torch.randn(16, 6, device=device), step))
    mt.teacher.eval()
    print(torch.stack(losses).mean().item())


if __name__ == "__main__":
    main()
