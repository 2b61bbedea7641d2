import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Function


class BinarizeSTE(Function):
    @staticmethod
    def forward(ctx, w):
        ctx.save_for_backward(w)
        return torch.where(w >= 0, 1.0, -1.0)

    @staticmethod
    def backward(ctx, grad):
        (w,) = ctx.saved_tensors
        return grad * (w.abs() <= 1).to(grad.dtype)


def fake_quant(x, bits=4):
    scale = x.detach().abs().amax() / (2 ** (bits - 1) - 1)
    q = torch.round(x / scale.clamp(min=1e-8)) * scale
    return x + (q - x).detach()


class BinaryLinear(nn.Linear):
    def forward(self, x):
        alpha = self.weight.abs().mean(1, keepdim=True).detach()
        return F.linear(fake_quant(x), BinarizeSTE.apply(self.weight) * alpha, self.bias)


class GradScale(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.k, None


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1, self.l2, self.l3 = nn.Linear(10, 32), BinaryLinear(32, 32), nn.Linear(32, 3)

    def forward(self, x):
        x = F.relu(self.l1(x))
        x = F.relu(self.l2(GradScale.apply(x, 0.5)))
        return self.l3(x)


def train(device):
    net = Net().to(device)
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    x = torch.randn(200, 10, device=device)
    y = x[:, :3].argmax(-1)
    for epoch in range(5):
        for i in torch.randperm(200).split(50):
            opt.zero_grad()
            loss = F.cross_entropy(net(x[i]), y[i])
            loss.backward()
            opt.step()
            with torch.no_grad():
                for m in net.modules():
                    if isinstance(m, BinaryLinear):
                        m.weight.clamp_(-1, 1)
    return loss.item()


if __name__ == "__main__":
    print(train("cuda" if torch.cuda.is_available() else "cpu"))
