import torch
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class SurrogateSpike(Function):
    """Heaviside forward, fast sigmoid derivative backward."""

    @staticmethod
    def forward(ctx, membrane, slope=10.0):
        ctx.save_for_backward(membrane)
        ctx.slope = slope
        return (membrane > 0).to(membrane.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        (membrane,) = ctx.saved_tensors
        return grad_output / (ctx.slope * membrane.abs() + 1.0) ** 2, None


class MaskedScale(Function):
    @staticmethod
    def forward(ctx, x, scale, mask):
        ctx.save_for_backward(x, scale, mask)
        return torch.where(mask, x * scale, x)

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        x, scale, mask = ctx.saved_tensors
        gx = gs = None
        if ctx.needs_input_grad[0]:
            gx = torch.where(mask, g * scale, g)
        if ctx.needs_input_grad[1]:
            gs = (g * x * mask).sum(0)
        return gx, gs, None


class SNN(nn.Module):
    def __init__(self, n_in=12, hidden=20, out=3, beta=0.9):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(n_in, hidden), nn.Linear(hidden, out)
        self.scale = nn.Parameter(torch.ones(hidden))
        self.beta = beta

    def forward(self, spikes):
        mem1 = spikes.new_zeros(spikes.size(1), self.fc1.out_features)
        total = 0.0
        for x in spikes:
            mem1 = self.beta * mem1 + self.fc1(x)
            fired = SurrogateSpike.apply(mem1 - 1.0)
            mem1 = mem1 - fired.detach()
            total = total + self.fc2(MaskedScale.apply(fired, self.scale, mem1.detach() > 0))
        return total / spikes.size(0)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = SNN().to(device)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(4):
    rate = torch.rand(1, 16, 12, device=device)
    spikes = (torch.rand(10, 16, 12, device=device) < rate).float()
    target = (rate[0].sum(1) * 0.5).long().clamp(max=2)
    loss = nn.functional.cross_entropy(net(spikes), target)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item(), net.scale.grad.norm().item())
