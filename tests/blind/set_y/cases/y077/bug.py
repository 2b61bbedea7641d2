import torch
from torch import nn
import torch.nn.functional as F


def quantize(t, bits, per_channel=False):
    qmax = 2 ** (bits - 1) - 1
    if per_channel:
        scale = t.detach().abs().flatten(1).amax(1).view(-1, *[1] * (t.dim() - 1)) / qmax
    else:
        scale = t.detach().abs().amax() / qmax
    scale = scale.clamp(min=1e-8)
    return torch.round(t / scale).clamp(-qmax - 1, qmax) * scale


class QConv2d(nn.Conv2d):
    def __init__(self, *args, bits=8, **kwargs):
        super().__init__(*args, **kwargs)
        self.bits = bits

    def forward(self, x):
        w = quantize(self.weight, self.bits, per_channel=True)
        return self._conv_forward(x, w, self.bias)


class QLinear(nn.Linear):
    bits = 8

    def forward(self, x):
        return F.linear(x, quantize(self.weight, self.bits), self.bias)


class QNet(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.features = nn.Sequential(QConv2d(3, 8, 3, padding=1, bits=4), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(4))
        self.head = QLinear(32, classes)

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


def finetune(net, device, steps=5):
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    net.train()
    for step in range(steps):
        x = torch.randn(16, 3, 8, 8, device=device)
        y = torch.randint(0, 4, (16,), device=device)
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    qnet = QNet().to(dev)
    finetune(qnet, dev)
