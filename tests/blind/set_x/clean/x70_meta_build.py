"""Builds a model without storage and fills it from a state dict."""
import io

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        return x + self.ff(self.norm(x))


class Stack(nn.Module):
    def __init__(self, dim=8, depth=3):
        super().__init__()
        self.blocks = nn.ModuleList(Block(dim) for _ in range(depth))
        self.register_buffer("scale", torch.ones(dim))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x * self.scale


def published_weights() -> bytes:
    buffer = io.BytesIO()
    torch.save(Stack().state_dict(), buffer)
    return buffer.getvalue()


def load_lazily(blob: bytes, device) -> Stack:
    with torch.device("meta"):
        model = Stack()
    assert all(p.is_meta for p in model.parameters())
    model.to_empty(device=device)
    state = torch.load(io.BytesIO(blob), map_location=device, weights_only=True)
    model.load_state_dict(state, strict=True)
    return model


def load_assigned(blob: bytes) -> Stack:
    with torch.device("meta"):
        model = Stack()
    state = torch.load(io.BytesIO(blob), map_location="cpu", weights_only=True)
    model.load_state_dict(state, assign=True)
    return model


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    blob = published_weights()
    first = load_lazily(blob, device).eval()
    second = load_assigned(blob).to(device).eval()
    with torch.no_grad():
        x = torch.randn(2, 8, device=device)
        assert torch.allclose(first(x), second(x), atol=1e-5)


if __name__ == "__main__":
    main()
