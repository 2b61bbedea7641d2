import torch
from torch import nn
import torch.nn.functional as F


class FakeQuant(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, bits):
        qmax = 2 ** (bits - 1) - 1
        q = torch.round(x / scale)
        ctx.save_for_backward(q.abs() <= qmax)
        return q.clamp(-qmax, qmax) * scale

    @staticmethod
    def backward(ctx, grad_output):
        (inside,) = ctx.saved_tensors
        return grad_output * inside, None, None


class QuantLinear(nn.Linear):
    def __init__(self, in_features, out_features, bits=8):
        super().__init__(in_features, out_features)
        self.bits = bits
        self.register_buffer("act_scale", torch.tensor(1.0))

    def observe(self, x):
        with torch.no_grad():
            peak = x.detach().abs().max().clamp(min=1e-6) / (2 ** (self.bits - 1) - 1)
            self.act_scale.lerp_(peak, 0.1)

    def forward(self, x):
        if self.training:
            self.observe(x)
        w_scale = self.weight.detach().abs().max() / (2 ** (self.bits - 1) - 1)
        w = FakeQuant.apply(self.weight, w_scale, self.bits)
        x = FakeQuant.apply(x, self.act_scale.clone(), self.bits)
        return F.linear(x, w, self.bias)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(QuantLinear(16, 32, bits=4), nn.ReLU(), QuantLinear(32, 4)).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)

for step in range(5):
    x = torch.randn(24, 16, device=device)
    target = x[:, :4].argmax(dim=1)
    loss = F.cross_entropy(net(x), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 2 == 0:
        print(step, loss.item(), net[0].act_scale.item())
