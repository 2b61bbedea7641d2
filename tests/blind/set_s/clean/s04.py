import torch
import torch.nn as nn
import torch.nn.functional as F


class Events:
    def __init__(self):
        self.after_batch, self.after_epoch = [], []

    def fire(self, name):
        for fn in getattr(self, name):
            fn()


class Loop:
    def __init__(self, model, optimizer, events, device):
        self.model, self.optimizer, self.events, self.device = model, optimizer, events, device

    def fit(self, batches, epochs):
        for _ in range(epochs):
            self.model.train()
            for x, y in batches:
                x, y = x.to(self.device), y.to(self.device)
                self.optimizer.zero_grad()
                loss = F.mse_loss(self.model(x), y)
                loss.backward()
                self.events.fire("after_batch")
            self.events.fire("after_epoch")
        return loss.item()


def fit_lbfgs(model, x, y, steps=3):
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=5)

    def closure():
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        return loss

    losses = [optimizer.step(closure) for _ in range(steps)]
    return [v.item() for v in losses]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
events = Events()
events.after_batch.append(optimizer.step)
events.after_epoch.append(scheduler.step)
x = torch.randn(32, 3)
y = x.sum(1, keepdim=True)
print(Loop(model, optimizer, events, device).fit(list(zip(x.split(8), y.split(8))), epochs=2))
print(fit_lbfgs(model, x.to(device), y.to(device)))
print([p.shape for p in map(torch.Tensor.detach, model.parameters())])
