import torch
import torch.nn as nn


def pick_devices():
    n = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if n >= 2:
        return [torch.device("cuda", i) for i in range(2)]
    if n == 1:
        return [torch.device("cuda:0")] * 2
    return [torch.device("cpu")] * 2


class Split(nn.Module):
    def __init__(self, devices, dim=16):
        super().__init__()
        self.first_dev, self.last_dev = devices
        self.front = nn.Sequential(nn.Linear(dim, 32), nn.ReLU()).to(self.first_dev)
        self.back = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 4)).to(self.last_dev)

    def forward(self, x):
        return self.back(self.front(x.to(self.first_dev)).to(self.last_dev))


class Pipelined(Split):
    def __init__(self, *args, chunk=8, **kw):
        super().__init__(*args, **kw)
        self.chunk = chunk

    def forward(self, x):
        parts = iter(x.split(self.chunk))
        prev = self.front(next(parts).to(self.first_dev)).to(self.last_dev)
        outs = []
        for part in parts:
            outs.append(self.back(prev))
            prev = self.front(part.to(self.first_dev)).to(self.last_dev)
        outs.append(self.back(prev))
        return torch.cat(outs)


def train(model, steps=6):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    loss_fn = nn.CrossEntropyLoss()
    for _ in range(steps):
        x = torch.randn(32, 16)
        y = x[:, :4].argmax(1)
        out = model(x)
        loss = loss_fn(out, y.to(out.device))
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


if __name__ == "__main__":
    devices = pick_devices()
    print(train(Split(devices)), train(Pipelined(devices, chunk=10)))
