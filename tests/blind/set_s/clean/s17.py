import torch
import torch.nn as nn
import torch.nn.functional as F


def ste_round(x):
    return x + (x.round() - x).detach()


class BinaryCode(nn.Module):
    """A code of -1 and 1 with a straight-through gradient."""

    def __init__(self, inp=10, bits=6):
        super().__init__()
        self.enc, self.dec = nn.Linear(inp, bits), nn.Linear(bits, inp)

    def code(self, x):
        soft = torch.tanh(self.enc(x))
        return soft + (soft.sign() - soft).detach()

    def forward(self, x):
        return self.dec(self.code(x))


class StepSize(nn.Module):
    def __init__(self, levels=16):
        super().__init__()
        self.log_step = nn.Parameter(torch.tensor(-1.0))
        self.levels = levels

    def forward(self, x):
        step = self.log_step.exp()
        return ste_round((x / step).clamp(-self.levels, self.levels)) * step


@torch.no_grad()
def bit_usage(model, x):
    return (model.code(x) > 0).float().mean(0).round(decimals=2).tolist()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, quant = BinaryCode().to(device), StepSize().to(device)
    optimizer = torch.optim.Adam([*model.parameters(), *quant.parameters()], lr=1e-2)
    data = torch.randn(64, 10, device=device)
    for step in range(15):
        loss = F.mse_loss(quant(model(data)), data)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(round(loss.item(), 3), bit_usage(model, data), "step", quant.log_step.exp().item())


if __name__ == "__main__":
    main()
