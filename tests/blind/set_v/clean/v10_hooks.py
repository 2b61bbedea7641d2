import time
from functools import partial

import torch
from torch import nn


class Every:
    def __init__(self):
        self.jobs = []

    def add(self, n, fn, *args):
        self.jobs.append((n, partial(fn, *args)))

    def tick(self, step):
        for n, job in self.jobs:
            if step % n == 0:
                job()


def timed(fn, *args):
    t = time.perf_counter()
    out = fn(*args)
    return out, time.perf_counter() - t


net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.1), nn.Linear(8, 1))
opt = torch.optim.RMSprop(net.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.StepLR(opt, 2)
after = Every()
after.add(1, opt.step)
after.add(1, opt.zero_grad)
after.add(2, sched.step)

mode = {"train": net.train, "eval": net.eval}
history = []
mode["train"]()
for step in range(1, 5):
    x = torch.randn(16, 4)
    loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
    _, spent = timed(loss.backward)
    after.tick(step)
    history.append(loss.detach())
values = list(map(torch.Tensor.item, history))
as_float = history[-1].item
mode["eval"]()
with torch.no_grad():
    out, _ = timed(net, torch.randn(2, 4))
print(values, as_float(), net.training, out.shape)
