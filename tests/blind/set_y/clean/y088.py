from functools import partial

import torch
from torch import nn


class Hooks:
    """Runs the callables it was given at named moments."""

    def __init__(self, **slots):
        self.slots = slots

    def fire(self, name):
        for fn in self.slots.get(name, ()):
            fn()


class Loop:
    def __init__(self, net, opt, loss_fn, hooks):
        self.net, self.loss_fn, self.hooks = net, loss_fn, hooks
        self.apply_update = opt.step
        self.clear = partial(opt.zero_grad, set_to_none=True)
        self.losses = []

    def run(self, batches):
        self.hooks.fire("start")
        for x, y in batches:
            self.clear()
            loss = self.loss_fn(self.net(x), y)
            loss.backward()
            self.hooks.fire("gradients")
            self.apply_update()
            self.losses.append(loss.item())
        self.hooks.fire("end")


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Linear(5, 16), nn.SELU(), nn.AlphaDropout(0.1), nn.Linear(16, 1)).to(device)
opt = torch.optim.NAdam(net.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=1, gamma=0.7)
hooks = Hooks(
    start=[net.train],
    gradients=[lambda: nn.utils.clip_grad_norm_(net.parameters(), 1.0)],
    end=[sched.step, net.eval],
)
loop = Loop(net, opt, nn.SmoothL1Loss(), hooks)
x = torch.randn(60, 5, device=device)
y = x.prod(1, keepdim=True)
for epoch in range(3):
    loop.run(zip(x.split(12), y.split(12)))
    assert not net.training
    print(epoch, sum(loop.losses[-5:]) / 5, sched.get_last_lr())
convert = torch.Tensor.tolist
with torch.no_grad():
    print(convert(net(x[:2])))
