import torch
import torch.nn as nn
import torch.nn.functional as F


class Spike(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v, slope):
        ctx.save_for_backward(v)
        ctx.slope = slope
        return (v > 0).to(v.dtype)

    @staticmethod
    def backward(ctx, g):
        (v,) = ctx.saved_tensors
        return g / (1 + ctx.slope * v.abs()) ** 2, None


def fake_quant(w, bits=4):
    scale = w.detach().abs().max().clamp(min=1e-8) / (2 ** (bits - 1) - 1)
    return w + (torch.round(w / scale) * scale - w).detach()


class LIF(nn.Module):
    def __init__(self, cin, cout, decay=0.8):
        super().__init__()
        self.fc, self.decay = nn.Linear(cin, cout), decay

    def forward(self, x):
        drive = F.linear(x, fake_quant(self.fc.weight), self.fc.bias)
        v = torch.zeros_like(drive[:, 0])
        out = []
        for t in range(drive.size(1)):
            v = self.decay * v + drive[:, t]
            s = Spike.apply(v - 1.0, 10.0)
            v = v - s.detach()
            out.append(s)
        return torch.stack(out, dim=1)


class SNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1, self.read = LIF(12, 24), nn.Linear(24, 1)

    def forward(self, x):
        return self.read(self.l1(x).mean(dim=1)).squeeze(1)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = SNN().to(device)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for it in range(4):
    x = (torch.rand(32, 10, 12, device=device) < 0.4).float() * 2
    rate = x.sum(dim=(1, 2)) / 240
    y = (rate > 0.4).float()
    logit = net(x)
    loss = F.binary_cross_entropy_with_logits(logit, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    acc = (torch.sigmoid(logit).round() == y).float().mean()
    sign = torch.sign(logit).mean()
    print(it, loss.item(), acc.item(), sign.item())
