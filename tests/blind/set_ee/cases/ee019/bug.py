import torch
import torch.nn as nn
import torch.nn.functional as F


class Quantizer(nn.Module):
    def __init__(self, bits):
        super().__init__()
        self.qmax = 2 ** (bits - 1) - 1

    def forward(self, w):
        scale = w.detach().abs().amax().clamp(min=1e-8) / self.qmax
        q = torch.round(w / scale).clamp(-self.qmax, self.qmax)
        return q * scale


class QuantLinear(nn.Linear):
    def __init__(self, n_in, n_out, bits=4):
        super().__init__(n_in, n_out)
        self.quant = Quantizer(bits)

    def forward(self, x):
        return F.linear(x, self.quant(self.weight), self.bias)


class QuantMLP(nn.Module):
    def __init__(self, dims, bits):
        super().__init__()
        self.layers = nn.ModuleList(
            QuantLinear(a, b, bits) for a, b in zip(dims[:-1], dims[1:])
        )

    def forward(self, x):
        *hidden, last = self.layers
        for layer in hidden:
            x = F.relu(layer(x))
        return last(x)


def spiral(n):
    t = torch.rand(n) * 6
    label = torch.randint(0, 2, (n,))
    phase = t + label * torch.pi
    pts = torch.stack([t * torch.cos(phase), t * torch.sin(phase)], dim=1)
    return pts / 6, label


def main(steps=60):
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = QuantMLP([2, 32, 32, 2], bits=4).to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    x, y = (t.to(device) for t in spiral(256))
    net.train()
    for step in range(steps):
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 20 == 0:
            print(step, round(loss.item(), 4))


if __name__ == "__main__":
    main()
