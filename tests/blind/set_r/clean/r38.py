"""Vector quantisation with trained codes, and a gated sum."""
import torch
import torch.nn as nn


class Codebook(nn.Module):
    def __init__(self, start, device):
        super().__init__()
        self.codes = nn.Parameter(start.to(device))
        self.register_parameter("log_t", nn.Parameter(torch.zeros((), device=device)))

    @classmethod
    def from_samples(cls, samples, n, device):
        picked = samples[torch.randperm(len(samples))[:n]]
        return cls(picked.detach().clone(), device)

    def forward(self, x):
        codes = self.codes.to(x.dtype)
        d = torch.cdist(x, codes)
        soft = (-d / self.log_t.exp()).softmax(dim=1)
        return soft @ codes, d.argmin(dim=1)


class Fusion(nn.Module):
    def __init__(self, dim, device="cpu"):
        super().__init__()
        factory = {"device": device}
        self.gate = nn.Parameter(torch.full((dim,), 0.5, **factory))
        self.shift = nn.Parameter(torch.zeros(dim).to(device))
        self.mix = nn.Linear(dim, dim, **factory)

    def forward(self, a, b):
        gate = self.gate.sigmoid()
        return self.mix(gate * a + (1 - gate) * b) + self.shift

    def half_gate(self):
        """A copy for the export, the parameter itself stays."""
        return self.gate.detach().to("cpu", torch.float16)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = torch.randn(40, 4)
    book, fusion = Codebook.from_samples(data, 6, device), Fusion(4, device)
    optimizer = torch.optim.Adam([*book.parameters(), *fusion.parameters()], lr=1e-2)
    data = data.to(device)
    for step in range(3):
        near, chosen = book(data)
        loss = (fusion(near, data) - data).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item(), chosen.unique().numel(), fusion.half_gate())
