import copy

import torch
from torch import nn


class ModelEma(nn.Module):
    def __init__(self, model, decay=0.9):
        super().__init__()
        self.module = copy.deepcopy(model).eval()
        self.module.requires_grad_(False)
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        own = self.module.state_dict()
        for k, v in model.state_dict().items():
            if v.dtype.is_floating_point:
                own[k].lerp_(v, 1 - self.decay)
            else:
                own[k].copy_(v)

    def forward(self, x):
        return self.module(x)


class MeanTeacher:
    def __init__(self, device):
        self.device = device
        self.student = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))
        self.student.to(device)
        self.teacher = ModelEma(self.student)
        self.opt = torch.optim.SGD(self.student.parameters(), lr=0.05, momentum=0.9)

    def step(self, x, y, u):
        self.student.train()
        x, y, u = x.to(self.device), y.to(self.device), u.to(self.device)
        sup = nn.functional.cross_entropy(self.student(x), y)
        target = self.teacher(u + 0.1 * torch.randn_like(u)).softmax(-1)
        cons = (self.student(u).softmax(-1) - target).pow(2).mean()
        loss = sup + 2.0 * cons
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.teacher.update(self.student)
        return sup.item(), cons.item()


if __name__ == "__main__":
    mt = MeanTeacher("cuda" if torch.cuda.is_available() else "cpu")
    for _ in range(3):
        print(mt.step(torch.randn(5, 6), torch.randint(0, 3, (5,)), torch.randn(9, 6)))
