import torch
import torch.nn as nn
import torch.nn.functional as F


class _Quant(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, bits=4):
        limit = 2 ** (bits - 1) - 1
        ratio = x / scale
        ctx.save_for_backward(ratio)
        ctx.limit = limit
        return ratio.round().clamp(-limit, limit) * scale

    @staticmethod
    def backward(ctx, grad_out):
        (ratio,) = ctx.saved_tensors
        inside = (ratio.abs() <= ctx.limit).to(grad_out.dtype)
        grad_x = grad_out * inside
        grad_scale = (grad_out * torch.where(inside.bool(), ratio.round() - ratio, ratio.sign() * ctx.limit)).sum()
        return grad_x, grad_scale, None


class QuantLinear(nn.Linear):
    bits = 4

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.step_w = nn.Parameter(self.weight.detach().abs().mean() * 2 / (2 ** (self.bits - 1) - 1) ** 0.5)

    def forward(self, x):
        w = _Quant.apply(self.weight, self.step_w, self.bits)
        return F.linear(x, w, self.bias)


class QuantLinear8(QuantLinear):
    bits = 8


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = QuantLinear8(10, 32)
        self.second = QuantLinear(32, 4)

    def forward(self, x):
        return self.second(F.relu(self.first(x)))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(5):
    x = torch.randn(32, 10, device=device)
    y = x[:, :4].argmax(1)
    loss = F.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.4f}", f"{net.second.step_w.item():.4f}")
