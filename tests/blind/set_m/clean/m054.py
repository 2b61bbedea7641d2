from collections import defaultdict
import torch
from torch import nn


class Events:
    def __init__(self):
        self.handlers = defaultdict(list)

    def on(self, name, fn):
        self.handlers[name].append(fn)

    def fire(self, name):
        for fn in self.handlers[name]:
            fn()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(3, 16), nn.Dropout(0.2), nn.Tanh(), nn.Linear(16, 1)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    events = Events()
    events.on("epoch_start", model.train)
    events.on("before_backward", optimizer.zero_grad)
    events.on("after_backward", optimizer.step)
    events.on("epoch_end", scheduler.step)
    events.on("epoch_end", model.eval)

    for epoch in range(3):
        events.fire("epoch_start")
        for _ in range(4):
            x = torch.randn(16, 3, device=device)
            loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
            events.fire("before_backward")
            loss.backward()
            events.fire("after_backward")
        events.fire("epoch_end")
        with torch.no_grad():
            x = torch.ones(1, 3, device=device)
            print(epoch, model(x).item(), scheduler.get_last_lr())


main()
