import argparse
import torch
from torch import nn
from losses import FilterBankLoss


class Enhancer(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.down = nn.Conv1d(1, width, 8, stride=4, padding=2)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.up = nn.ConvTranspose1d(width, 1, 8, stride=4, padding=2)

    def forward(self, x):
        h = torch.relu(self.down(x))
        h = h + self.rnn(h.transpose(1, 2))[0].transpose(1, 2)
        return self.up(h)


def noisy_pairs(n, length=256):
    t = torch.arange(length) / 16.0
    clean = torch.sin(t * (1 + 3 * torch.rand(n, 1)))
    return (clean + 0.2 * torch.randn(n, length)).unsqueeze(1), clean.unsqueeze(1)


def build(args):
    model = Enhancer().to(args.device)
    criteria = {"wave": nn.L1Loss(), "bank": FilterBankLoss()}
    weights = {"wave": 1.0, "bank": args.bank_weight}
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    return model, criteria, weights, optimizer


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--steps", type=int, default=4)
    ap.add_argument("--bank-weight", type=float, default=0.1)
    args = ap.parse_args()
    args.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(0)
    model, criteria, weights, optimizer = build(args)
    for step in range(args.steps):
        noisy, clean = (t.to(args.device) for t in noisy_pairs(4))
        estimate = model(noisy)
        parts = {name: fn(estimate, clean) for name, fn in criteria.items()}
        loss = sum(weights[k] * v for k, v in parts.items())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, {k: round(v.item(), 4) for k, v in parts.items()})


if __name__ == "__main__":
    main()
