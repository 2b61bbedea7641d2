import torch
import torch.nn as nn
import torch.nn.functional as F


class BinarySign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, clip):
        ctx.save_for_backward(x)
        ctx.clip = clip
        return torch.where(x >= 0, 1.0, -1.0).to(x.dtype)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x.abs() <= ctx.clip), None


class BinaryLinear(nn.Linear):
    def forward(self, x):
        scale = self.weight.abs().mean(1, keepdim=True)
        return F.linear(x, BinarySign.apply(self.weight, 1.0) * scale, self.bias)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(BinaryLinear(10, 32), nn.BatchNorm1d(32), nn.Hardtanh(), BinaryLinear(32, 2)).to(device)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(64, 10, device=device)
y = (x.sum(1) > 0).long()
for epoch in range(5):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for m in net:
            if isinstance(m, BinaryLinear):
                m.weight.clamp_(-1, 1)
print(loss.item())
