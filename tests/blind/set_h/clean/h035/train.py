import torch
import torch.nn as nn
import torch.nn.functional as F

from precision import Amp, check

torch.set_default_dtype(torch.float32)


class Pointwise(nn.Module):
    def __init__(self, dim=12):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(dim))
        self.shift = nn.Parameter(torch.zeros(dim))
        self.out = nn.Linear(dim, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(F.softplus(x * self.scale + self.shift)).squeeze(-1)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    amp = Amp(device, enabled=False)
    model = Pointwise().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scaler = amp.scaler()
    for step in range(8):
        x = check(torch.randn(32, 12, device=device))
        y = x.abs().sum(1)
        with amp.autocast():
            loss = F.mse_loss(model(x), y)
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    table = torch.tensor([[0.0, 1.0], [2.0, 3.0]], device=device)
    print(loss.item(), table.type(torch.float64).dtype, torch.empty(2, 3).shape)


if __name__ == "__main__":
    main()
