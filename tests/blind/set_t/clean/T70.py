import torch
import torch.nn as nn
import torch.nn.functional as F


class RoundThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        return x.round().clamp(low, high)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        inside = (x >= ctx.low) & (x <= ctx.high)
        return grad * inside, None, None


class Observer(nn.Module):
    def __init__(self, momentum=0.1):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("peak", torch.ones(()))
        self.register_buffer("seen", torch.zeros((), dtype=torch.bool))

    @torch.no_grad()
    def forward(self, x):
        now = x.abs().amax().clamp(min=1e-5)
        if self.training:
            self.peak.copy_(torch.where(self.seen, self.peak.lerp(now, self.momentum), now))
            self.seen.fill_(True)
        return self.peak


class QuantLinear(nn.Linear):
    def __init__(self, n_in, n_out, bits=8):
        super().__init__(n_in, n_out)
        self.high = 2 ** (bits - 1) - 1
        self.observer = Observer()
        self.enabled = False

    def quantise(self, x, peak):
        scale = peak / self.high
        return RoundThrough.apply(x / scale, -self.high - 1, self.high) * scale

    def forward(self, x):
        peak = self.observer(x)
        if not self.enabled:
            return super().forward(x)
        w = self.quantise(self.weight, self.weight.detach().abs().amax())
        return F.linear(self.quantise(x, peak.clone()), w, self.bias)


def switch(model, on):
    for m in model.modules():
        if isinstance(m, QuantLinear):
            m.enabled = on


def train(model, x, y, steps, lr):
    model.train()
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(steps):
        loss = F.mse_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(64, 6, device=device)
    y = x[:, :1] * x[:, 1:2]
    model = nn.Sequential(QuantLinear(6, 32, 4), nn.ReLU(), QuantLinear(32, 1, 4)).to(device)
    print("float", train(model, x, y, 10, 1e-2))
    switch(model, True)
    print("quantised", train(model, x, y, 10, 1e-3))
    model.eval()
    with torch.no_grad():
        print("final", F.mse_loss(model(x), y).item())


if __name__ == "__main__":
    main()
