import torch
from torch import nn


class SpectralConv(nn.Module):
    """Spectral normalisation with its own power iteration."""

    def __init__(self, c_in, c_out, iters=1):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(c_out, c_in) * 0.1)
        self.bias = nn.Parameter(torch.zeros(c_out))
        self.register_buffer("u", nn.functional.normalize(torch.randn(c_out), dim=0))
        self.iters = iters

    def forward(self, x):
        w = self.weight
        with torch.no_grad():
            u = self.u
            for _ in range(self.iters):
                v = nn.functional.normalize(w.t() @ u, dim=0)
                u = nn.functional.normalize(w @ v, dim=0)
            if self.training:
                self.u.copy_(u)
        sigma = u @ w @ v
        return nn.functional.linear(x, w / sigma, self.bias)


class Routing(nn.Module):
    """Dynamic routing between capsules; agreement is found without gradients."""

    def __init__(self, n_in=4, n_out=2, d=3):
        super().__init__()
        self.w = nn.Parameter(torch.randn(n_in, n_out, d, d) * 0.3)

    def forward(self, x, iters=3):
        u = torch.einsum("bid,iodk->biok", x, self.w)
        frozen = u.detach()
        b = torch.zeros(u.shape[:3], device=u.device)
        for i in range(iters):
            c = b.softmax(2).unsqueeze(-1)
            s = (c * (u if i == iters - 1 else frozen)).sum(1)
            n = s.pow(2).sum(-1, keepdim=True)
            v = n / (1 + n) * s / (n + 1e-8).sqrt()
            if i < iters - 1:
                b += (frozen * v.unsqueeze(1)).sum(-1)
        return v


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    lin, caps = SpectralConv(12, 12).to(device), Routing().to(device)
    opt = torch.optim.Adam([*lin.parameters(), *caps.parameters()])
    for _ in range(2):
        x = torch.randn(5, 12, device=device)
        loss = caps(lin(x).view(5, 4, 3)).norm(dim=-1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item())
