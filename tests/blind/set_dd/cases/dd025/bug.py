"""Quantisation-aware training with learned step size (LSQ)."""
import torch
from torch import nn
from torch.autograd import Function
import torch.nn.functional as F


class LSQ(Function):
    @staticmethod
    def forward(ctx, x, step, qmin, qmax):
        scaled = x / step
        ctx.save_for_backward(scaled, step)
        ctx.bounds = (qmin, qmax)
        return scaled.round().clamp(qmin, qmax) * step

    @staticmethod
    def backward(ctx, grad_out):
        scaled, step = ctx.saved_tensors
        qmin, qmax = ctx.bounds
        inside = (scaled >= qmin) & (scaled <= qmax)
        grad_x = grad_out * inside
        local = torch.where(inside, scaled.round() - scaled, scaled.clamp(qmin, qmax))
        grad_step = (grad_out * local).sum().reshape(step.shape) / (scaled.numel() * qmax) ** 0.5
        return grad_x, grad_step


class QuantLinear(nn.Linear):
    def __init__(self, n_in, n_out, bits=4):
        super().__init__(n_in, n_out)
        self.qmin, self.qmax = -2 ** (bits - 1), 2 ** (bits - 1) - 1
        init = 2 * self.weight.detach().abs().mean() / self.qmax ** 0.5
        self.step = nn.Parameter(init.reshape(1))

    def forward(self, x):
        w = LSQ.apply(self.weight, self.step, self.qmin, self.qmax)
        return F.linear(x, w, self.bias)

    def extra_repr(self):
        return f"{super().extra_repr()}, range=[{self.qmin}, {self.qmax}]"


def quantise(module, bits):
    for name, child in module.named_children():
        if isinstance(child, nn.Linear):
            q = QuantLinear(child.in_features, child.out_features, bits)
            q.load_state_dict(child.state_dict(), strict=False)
            setattr(module, name, q)
        else:
            quantise(child, bits)
    return module


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    float_net = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    net = quantise(float_net, bits=4).to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(4):
        x, y = torch.randn(16, 1, 8, 8, device=device), torch.randint(10, (16,), device=device)
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
    print(net, loss.item())


if __name__ == "__main__":
    main()
