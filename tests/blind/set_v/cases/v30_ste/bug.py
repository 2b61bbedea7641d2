import torch
from torch import nn


class FakeQuant(torch.autograd.Function):
    """Rounds to 2**bits levels, gradient passes where the input was in range."""

    @staticmethod
    def forward(ctx, x, scale, bits):
        hi = 2 ** (bits - 1) - 1
        q = (x / scale).round()
        inside = (q >= -hi - 1) & (q <= hi)
        ctx.save_for_backward(inside)
        return q.clamp(-hi - 1, hi) * scale

    @staticmethod
    def backward(ctx, grad):
        (inside,) = ctx.saved_tensors
        return grad * inside, None


class QLinear(nn.Linear):
    def __init__(self, n_in, n_out, bits=4):
        super().__init__(n_in, n_out)
        self.bits = bits
        self.register_buffer("scale", torch.tensor(0.05))

    def observe(self):
        with torch.no_grad():
            self.scale.copy_(self.weight.abs().max() / (2 ** (self.bits - 1) - 1))

    def forward(self, x):
        if self.training:
            self.observe()
        w = FakeQuant.apply(self.weight, self.scale, self.bits)
        return nn.functional.linear(x, w, self.bias)


def quantize(module, bits):
    for name, child in module.named_children():
        if isinstance(child, nn.Linear):
            q = QLinear(child.in_features, child.out_features, bits)
            q.load_state_dict(child.state_dict(), strict=False)
            setattr(module, name, q)
        else:
            quantize(child, bits)
    return module


if __name__ == "__main__":
    net = quantize(nn.Sequential(nn.Linear(9, 18), nn.ReLU(), nn.Sequential(nn.Linear(18, 1))), bits=4)
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    for step in range(4):
        x = torch.randn(20, 9)
        loss = (net(x).squeeze(1) - x.mean(1)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())
