"""Auto-decoder: one latent code per shape, fitted together with the decoder."""
import torch
import torch.nn as nn

SHAPES = ["sphere", "box", "torus"]


class Decoder(nn.Module):
    def __init__(self, code=16, width=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(code + 3, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, code, points):
        code = code.expand(points.shape[0], -1)
        return self.net(torch.cat([code, points], dim=-1)).squeeze(-1)


def sdf(name, p):
    if name == "sphere":
        return p.norm(dim=-1) - 0.5
    if name == "box":
        return (p.abs() - 0.4).amax(dim=-1)
    ring = torch.stack([p[:, :2].norm(dim=-1) - 0.5, p[:, 2]], dim=-1)
    return ring.norm(dim=-1) - 0.2


def new_codes(names, size, device, std=0.01):
    return {n: torch.normal(0.0, std, (1, size), device=device, requires_grad=True) for n in names}


def fit(steps=8):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    decoder = Decoder().to(device)
    codes = new_codes(SHAPES, 16, device)
    groups = [
        {"params": decoder.parameters(), "lr": 1e-3},
        {"params": list(codes.values()), "lr": 1e-2},
    ]
    optimizer = torch.optim.Adam(groups)
    for step in range(steps):
        optimizer.zero_grad()
        total = 0.0
        for name in SHAPES:
            pts = torch.rand(64, 3, device=device) * 2 - 1
            pred = decoder(codes[name], pts)
            loss = (pred - sdf(name, pts)).abs().mean() + 1e-4 * codes[name].pow(2).sum()
            loss.backward()
            total += loss.item()
        optimizer.step()
        if step % 4 == 0:
            print(f"{step:3d} {total:.4f}")
    return {n: c.detach().cpu() for n, c in codes.items()}


if __name__ == "__main__":
    table = fit()
    print({n: round(c.norm().item(), 3) for n, c in table.items()})
