from collections import defaultdict

import torch
import torch.nn as nn


class Events:
    def __init__(self):
        self.handlers = defaultdict(list)

    def on(self, name, *functions):
        self.handlers[name].extend(functions)
        return self

    def fire(self, name, *args):
        for f in self.handlers[name]:
            f(*args)


class Recorder:
    def __init__(self):
        self.norms = {}

    def watch(self, name, module):
        def hook(mod, inputs, output):
            self.norms[name] = output.detach().norm()
        return module.register_forward_hook(hook)


class Loop:
    def __init__(self, model, optimizer, scheduler, clip=1.0):
        self.model, self.optimizer, self.scheduler, self.clip = model, optimizer, scheduler, clip
        self.events = Events()
        self.events.on("before", model.train, optimizer.zero_grad)
        self.events.on("after", self._clip, optimizer.step, scheduler.step)
        self.criterion = nn.functional.mse_loss

    def _clip(self):
        nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)

    def step(self, x, y):
        self.events.fire("before")
        loss = self.criterion(self.model(x), y)
        propagate = loss.backward
        propagate()
        self.events.fire("after")
        return loss.detach()

    def evaluate(self, x, y):
        self.model.eval()
        with torch.no_grad():
            return self.criterion(self.model(x), y).item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(6, 24), nn.ELU(), nn.Linear(24, 1)).to(device)
    opt = torch.optim.NAdam(model.parameters(), lr=5e-3)
    loop = Loop(model, opt, torch.optim.lr_scheduler.ExponentialLR(opt, 0.98))
    recorder = Recorder()
    handles = [recorder.watch(n, m) for n, m in model.named_children()]
    losses = []
    for _ in range(8):
        x = torch.randn(32, 6, device=device)
        losses.append(loop.step(x, x.prod(dim=1, keepdim=True)))
    on_host = list(map(torch.Tensor.cpu, losses))
    for remove in [h.remove for h in handles]:
        remove()
    x = torch.randn(64, 6, device=device)
    print(torch.stack(on_host).mean().item(), loop.evaluate(x, x.prod(1, keepdim=True)))


if __name__ == "__main__":
    main()
