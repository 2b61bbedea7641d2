import torch
import torch.nn as nn
import torch.nn.functional as F


class Bottleneck(nn.Module):
    def __init__(self, cin, cout, expansion=2):
        super().__init__()
        mid = cout * expansion
        layers = [nn.Linear(cin, mid), nn.LayerNorm(mid), nn.GELU(), nn.Linear(mid, cout)]
        self.body = nn.Sequential(*layers)
        self.skip = nn.Identity() if cin == cout else nn.Linear(cin, cout, bias=False)

    def forward(self, x):
        return self.skip(x) + self.body(x)


class UShape(nn.Module):
    def __init__(self, widths=(6, 16, 24), steps=3):
        super().__init__()
        downs = [Bottleneck(a, b) for a, b in zip(widths, widths[1:])]
        self.downs = nn.ModuleList(downs)
        self.ups = []
        for i, (a, b) in enumerate(zip(reversed(widths), reversed(widths[:-1]))):
            block = Bottleneck(a, b)
            self.add_module(f"up{i}", block)
            self.ups.append(block)
        self.gates = [nn.Parameter(torch.full((1,), 0.1)) for _ in widths[1:]]
        for i, g in enumerate(self.gates):
            self.register_parameter(f"gate{i}", g)
        self.activations = {"tanh": torch.tanh, "relu": F.relu}

    def forward(self, x, kind="tanh"):
        skips = []
        for down in self.downs:
            skips.append(x)
            x = self.activations[kind](down(x))
        for up, gate in zip(self.ups, self.gates):
            x = up(x) + gate * skips.pop()
        return x


class Distilled(nn.Module):
    """The frozen teacher is held in a tuple so that it is neither saved nor trained."""

    def __init__(self, student, teacher):
        super().__init__()
        self.student = student
        self._teacher = (teacher.eval().requires_grad_(False),)

    def loss(self, x):
        with torch.no_grad():
            wanted = self._teacher[0](x)
        return F.mse_loss(self.student(x), wanted)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Distilled(UShape(), UShape().to(device)).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for step in range(8):
        loss = model.loss(torch.randn(32, 6, device=device))
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item(), len(model.state_dict()))
    return model


if __name__ == "__main__":
    model = main()
