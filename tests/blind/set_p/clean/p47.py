import os
import tempfile

import torch
import torch.nn as nn


class Rotary(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.register_buffer("inv_freq", 1.0 / 10000 ** (torch.arange(0, dim, 2) / dim))

    def forward(self, x):
        t = torch.arange(x.size(1), device=x.device, dtype=x.dtype)
        angle = torch.outer(t, self.inv_freq)
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1)


class Encoder(nn.Module):
    def __init__(self, vocab=50, dim=16):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.rot = Rotary(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 32), nn.GELU(), nn.Linear(32, dim))

    def forward(self, ids):
        return self.mlp(self.rot(self.tok(ids))).mean(dim=1)


def parameter_count():
    with torch.device("meta"):
        return sum(p.numel() for p in Encoder().parameters())


def by_assignment(path, device):
    with torch.device("meta"):
        model = Encoder()
    model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True), assign=True)
    return model.to(device).eval()


def by_allocation(path, device):
    with torch.device("meta"):
        model = Encoder()
    model.to_empty(device=device)
    model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    return model.eval()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    path = os.path.join(tempfile.mkdtemp(), "encoder.pt")
    torch.save(Encoder().state_dict(), path)
    print("parameters", parameter_count())
    ids = torch.randint(50, (3, 7), device=device)
    with torch.inference_mode():
        a = by_assignment(path, device)(ids)
        b = by_allocation(path, device)(ids)
    print("agree", torch.allclose(a, b))


if __name__ == "__main__":
    main()
