from collections import defaultdict

import torch
import torch.nn as nn
import torch.nn.functional as F


class Events:
    def __init__(self):
        self.handlers = defaultdict(list)

    def on(self, name, *functions):
        self.handlers[name].extend(functions)

    def fire(self, name):
        for fn in self.handlers[name]:
            fn()


class Loop:
    def __init__(self, model, device, lr=0.05):
        self.model = model.to(device)
        self.device = device
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 1, gamma=0.5)
        self.loss = None
        self.events = Events()
        self.events.on("epoch_start", self.model.train)
        self.events.on("batch", self.optimizer.zero_grad, self.backward, self.optimizer.step)
        self.events.on("epoch_end", self.scheduler.step, self.model.eval)

    def backward(self):
        self.loss.backward()

    def run(self, data, epochs):
        for _ in range(epochs):
            self.events.fire("epoch_start")
            for x, y in data:
                x, y = map(self.place, (x, y))
                self.loss = F.cross_entropy(self.model(x), y)
                self.events.fire("batch")
            self.events.fire("epoch_end")

    def place(self, t):
        return t.to(self.device)

    @torch.no_grad()
    def predict(self, xs):
        outs = [self.model(self.place(x)) for x in xs]
        return torch.cat(list(map(torch.Tensor.cpu, outs)))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = [(x, x[:, :3].argmax(1)) for x in torch.randn(5, 16, 8)]
loop = Loop(nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.1), nn.ReLU(), nn.Linear(16, 3)), device)
loop.run(data, 3)
logits = loop.predict(x for x, _ in data)
truth = torch.cat([y for _, y in data])
print("accuracy", (logits.argmax(1) == truth).float().mean().item(), "lr", loop.scheduler.get_last_lr())
