import torch
import torch.nn as nn
import torch.nn.functional as F


class BinarySTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, clip):
        ctx.save_for_backward(x)
        ctx.clip = clip
        return torch.where(x >= 0, 1.0, -1.0).to(x.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        inside = x.abs() <= ctx.clip
        return grad_output * inside, None


class BinaryLinear(nn.Linear):
    """Real weights are stored and trained, their signs are used."""

    def __init__(self, n_in, n_out, clip=1.0):
        super().__init__(n_in, n_out)
        self.clip = clip

    def forward(self, x):
        scale = self.weight.abs().mean(dim=1, keepdim=True).detach()
        return F.linear(x, BinarySTE.apply(self.weight, self.clip) * scale, self.bias)

    @torch.no_grad()
    def clamp_weights(self):
        self.weight.clamp_(-self.clip, self.clip)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(BinaryLinear(6, 24), nn.BatchNorm1d(24), nn.Hardtanh(), BinaryLinear(24, 2)).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(4):
        x = torch.randn(32, 6, device=device)
        y = (x.sum(1) > 0).long()
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        for layer in model:
            if isinstance(layer, BinaryLinear):
                layer.clamp_weights()
        print(step, loss.item())


if __name__ == "__main__":
    main()
