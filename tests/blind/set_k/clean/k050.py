import io

import torch
import torch.nn as nn
import torch.nn.functional as F


class Scorer(nn.Module):
    def __init__(self, dim=16, depth=3):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(dim, dim) for _ in range(depth))
        self.head = nn.Linear(dim, 1)
        self.register_buffer("mean", torch.zeros(dim))

    def forward(self, x):
        h = x - self.mean
        for layer in self.layers:
            h = h + F.relu(layer(h))
        return self.head(h).squeeze(-1)


def save(model):
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    file.seek(0)
    return file


def load(file, device, **kwargs):
    """Builds the skeleton without memory and hangs the stored tensors into it."""
    with torch.device("meta"):
        model = Scorer(**kwargs)
    state = torch.load(file, map_location="cpu", weights_only=True)
    model.load_state_dict(state, assign=True)
    return model.to(device).eval()


def blank_like(model, device):
    with torch.device("meta"):
        twin = Scorer(len(model.mean), len(model.layers))
    twin = twin.to_empty(device=device)
    twin.load_state_dict(model.state_dict())
    return twin


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    source = Scorer()
    source.mean.copy_(torch.randn(16))
    model = load(save(source), device)
    twin = blank_like(model, device).eval()
    x = torch.randn(5, 16, device=device)
    with torch.inference_mode():
        gap = (model(x) - twin(x)).abs().max().item()
    total = sum(p.numel() for p in model.parameters())
    print(f"{total} parameters, gap {gap:.2e}")


if __name__ == "__main__":
    main()
