import argparse
import torch
from torch import nn
from torch.utils.data import DataLoader, RandomSampler, TensorDataset
from seeding import Seeds, worker_init


class LangevinEBM(nn.Module):
    def __init__(self, dim=4, hidden=32):
        super().__init__()
        self.energy = nn.Sequential(nn.Linear(dim, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, 1))

    def forward(self, x):
        return self.energy(x).squeeze(-1)


def langevin(model, x, steps, size, generator):
    """Samples near x; the model's own parameters stay out of the graph."""
    flags = [p.requires_grad for p in model.parameters()]
    model.requires_grad_(False)
    x = x.clone().requires_grad_()
    for _ in range(steps):
        (g,) = torch.autograd.grad(model(x).sum(), x)
        noise = torch.randn(x.shape, generator=generator, device=x.device)
        with torch.no_grad():
            x -= size * g
            x += 0.01 * noise
    for p, flag in zip(model.parameters(), flags):
        p.requires_grad_(flag)
    return x.detach()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=3)
    ap.add_argument("--epochs", type=int, default=2)
    args = ap.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    seeds = Seeds(args.seed, device)
    data = TensorDataset(torch.randn(64, 4, generator=seeds.host) * torch.tensor([1.0, 0.2, 0.5, 1.0]))
    loader = DataLoader(data, batch_size=16, sampler=RandomSampler(data, generator=seeds.host), worker_init_fn=worker_init)
    model = LangevinEBM().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.0, 0.999))
    chains = torch.randn(16, 4, generator=seeds.device, device=device)
    for epoch in range(args.epochs):
        for (x,) in loader:
            x = x.to(device)
            chains = langevin(model, chains, 5, 0.05, seeds.device)
            up, down = model(x), model(chains)
            loss = up.mean() - down.mean() + 0.05 * (up.square() + down.square()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            reset = torch.rand(16, generator=seeds.device, device=device) < 0.1
            chains[reset] = torch.randn(chains.shape, generator=seeds.device, device=device)[reset]
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
