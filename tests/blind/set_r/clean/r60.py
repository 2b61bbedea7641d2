import torch
import torch.nn as nn
import torch.nn.functional as F


class Events:
    def __init__(self):
        self.handlers = {}

    def on(self, name, *functions):
        self.handlers.setdefault(name, []).extend(functions)

    def fire(self, name):
        for function in self.handlers.get(name, []):
            function()


class Probe:
    def __init__(self):
        self.norms = []

    def keep(self, module, args, output):
        self.norms.append(output.detach().norm().item())


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(7, 14), nn.ReLU(), nn.Dropout(0.1), nn.Linear(14, 2)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
    probe, events = Probe(), Events()
    handle = model[0].register_forward_hook(probe.keep)
    events.on("before", optimizer.zero_grad)
    events.on("after", optimizer.step)
    events.on("epoch", scheduler.step, model.eval)
    events.on("start", model.train)

    for epoch in range(3):
        events.fire("start")
        kept = []
        for _ in range(4):
            x = torch.randn(16, 7, device=device)
            y = (x.sum(1) > 0).long()
            loss = F.cross_entropy(model(x), y)
            events.fire("before")
            loss.backward()
            events.fire("after")
            kept.append(loss.detach())
        events.fire("epoch")
        values = list(map(torch.Tensor.item, kept))
        mode = model.train if epoch < 2 else model.eval
        mode()
        stop = handle.remove if epoch == 1 else None
        if stop is not None:
            stop()
        print(epoch, min(values), len(probe.norms), scheduler.get_last_lr())


main()
