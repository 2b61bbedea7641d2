import torch
from torch import nn
from torch.optim.lr_scheduler import StepLR


class Schedule:
    def __init__(self, opt, step_size):
        self.inner = StepLR(opt, step_size, gamma=0.5)

    def advance(self):
        self.inner.step()

    @property
    def lr(self):
        return self.inner.get_last_lr()[0]


def epoch(model, opt, device, n=3):
    for _ in range(n):
        x = torch.randn(8, 5, device=device)
        loss = (model(x).sum(1) - x.sum(1)).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(5, 2).to(device)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
schedule = Schedule(opt, 2)
for e in range(4):
    schedule.advance()
    print(e, schedule.lr, epoch(model, opt, device))
