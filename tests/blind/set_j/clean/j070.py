import torch
import torch.nn as nn


class Experiment:
    def __init__(self, model, lr=1e-3, warmup=2):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.01)
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimizer, lambda s: min(1.0, (s + 1) / warmup))

    def to(self, device):
        self.device = torch.device(device)
        self.model.to(self.device)
        return self

    def step(self, x, y):
        self.model.train()
        x, y = x.to(self.device), y.to(self.device)
        loss = nn.functional.huber_loss(self.model(x), y)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        self.scheduler.step()
        return loss.detach()


exp = Experiment(nn.Sequential(nn.Linear(4, 16), nn.Mish(), nn.Linear(16, 1)))
exp.to("cuda" if torch.cuda.is_available() else "cpu")
history = []
for _ in range(4):
    x = torch.randn(16, 4)
    history.append(exp.step(x, x.prod(1, keepdim=True)))
print(torch.stack(history).cpu().numpy())
