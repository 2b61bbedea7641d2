import torch
import torch.nn as nn
import torch.nn.functional as F

from evaluator import Evaluator


class Trainer:
    def __init__(self, model, evaluator, device):
        self.model = model.to(device)
        self.device = device
        self.evaluator = evaluator
        self.opt = torch.optim.SGD(model.parameters(), lr=0.05)
        self.step_count = 0

    def step(self, x, y):
        loss = F.cross_entropy(self.model(x.to(self.device)), y.to(self.device))
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.step_count += 1

    def fit(self, data, epochs, eval_every=4):
        self.model.train()
        for _ in range(epochs):
            for x, y in data:
                self.step(x, y)
                if self.step_count % eval_every == 0:
                    print(self.step_count, self.evaluator(self.model))


def blobs(n, bs=16):
    out = []
    for _ in range(n):
        y = torch.randint(0, 3, (bs,))
        out.append((torch.randn(bs, 6) + y[:, None].float(), y))
    return out


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Linear(6, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 3))
data = blobs(6)
trainer = Trainer(net, Evaluator(blobs(2), device), device)
trainer.fit(data, 2)
