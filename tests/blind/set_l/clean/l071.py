import torch
import torch.nn as nn
import torch.nn.functional as F


class BinaryWeight(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w, clip, per_row):
        ctx.save_for_backward(w)
        ctx.clip = clip
        dims = tuple(range(1, w.ndim)) if per_row else tuple(range(w.ndim))
        return w.sign() * w.abs().mean(dims, keepdim=True)

    @staticmethod
    def backward(ctx, grad):
        (w,) = ctx.saved_tensors
        return grad * (w.abs() <= ctx.clip).to(grad.dtype), None, None


class BinaryLinear(nn.Linear):
    def __init__(self, *args, clip=1.0, **kwargs):
        super().__init__(*args, **kwargs)
        self.clip = clip

    def forward(self, x):
        return F.linear(x, BinaryWeight.apply(self.weight, self.clip, True), self.bias)


class BinaryMLP(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        layers = []
        for a, b in zip(sizes[:-2], sizes[1:-1]):
            layers += [BinaryLinear(a, b, bias=False), nn.BatchNorm1d(b), nn.Hardtanh()]
        layers.append(nn.Linear(sizes[-2], sizes[-1]))
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)


@torch.no_grad()
def clamp_latent(model):
    for m in model.modules():
        if isinstance(m, BinaryLinear):
            m.weight.clamp_(-m.clip, m.clip)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = BinaryMLP([10, 32, 32, 3]).to(device)
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(6):
    x = torch.randn(64, 10, device=device)
    loss = F.cross_entropy(model(x), x[:, :3].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    clamp_latent(model)
print(loss.item())
