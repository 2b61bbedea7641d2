import torch
from torch import nn

from hooks import GradStats, ResetGradients


class Trainer:
    def __init__(self, model, hooks):
        self.model = model
        self.hooks = hooks
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.0)

    def call(self, name, *args):
        for hook in self.hooks:
            getattr(hook, name)(self, *args)

    def step(self, x, y):
        loss = nn.functional.mse_loss(self.model(x), y)
        self.call("before_backward", loss)
        loss.backward()
        self.call("after_backward")
        self.optimizer.step()
        self.call("after_step")


model = nn.Linear(4, 1)
first = model.weight.detach().clone()
trainer = Trainer(model, [GradStats(), ResetGradients()])
for _ in range(4):
    x = torch.randn(10, 4)
    trainer.step(x, x.sum(dim=1, keepdim=True))
