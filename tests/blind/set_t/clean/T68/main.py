import argparse
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from bayes import BayesLinear, kl_of


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--samples", type=int, default=8)
    p.add_argument("--no-cuda", action="store_true")
    return p.parse_args()


@torch.no_grad()
def predictive(model, x, samples):
    model.eval()
    draws = torch.stack([model(x) for _ in range(samples)])
    return draws.mean(0), draws.std(0)


def main():
    args = parse_args()
    torch.manual_seed(0)
    use_cuda = torch.cuda.is_available() and not args.no_cuda
    device = torch.device("cuda" if use_cuda else "cpu")
    x = torch.rand(80, 1) * 6 - 3
    y = x.sin() + 0.1 * torch.randn_like(x)
    loader = DataLoader(TensorDataset(x, y), batch_size=20, shuffle=True)
    model = nn.Sequential(BayesLinear(1, 24), nn.Tanh(), BayesLinear(24, 1)).to(device)
    log_noise = torch.zeros(1, device=device, requires_grad=True)
    optimizer = torch.optim.Adam([*model.parameters(), log_noise], lr=1e-2)
    for epoch in range(args.epochs):
        model.train()
        elbo = 0.0
        for xb, yb in loader:
            xb, yb = xb.to(device), yb.to(device)
            nll = F.gaussian_nll_loss(model(xb), yb, (2 * log_noise).exp().expand_as(yb), reduction="sum")
            loss = nll + kl_of(model) / len(loader)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            elbo -= loss.item()
        print(epoch, elbo)
    grid = torch.linspace(-4, 4, 5).unsqueeze(1).to(device)
    mean, std = predictive(model, grid, args.samples)
    print(mean.squeeze().tolist(), std.squeeze().tolist())


if __name__ == "__main__":
    main()
