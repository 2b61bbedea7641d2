import torch
import torch.nn.functional as F
from torch import nn


class Potential(nn.Module):
    """Pairwise energy model; forces come from the gradient, in evaluation as well."""

    def __init__(self, hidden=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, hidden), nn.SiLU(), nn.Linear(hidden, 1))

    def energy(self, pos):
        i, j = torch.triu_indices(pos.size(1), pos.size(1), offset=1, device=pos.device)
        dist = (pos[:, i] - pos[:, j]).norm(dim=-1, keepdim=True)
        return self.net(dist).sum(dim=(1, 2))

    def forward(self, pos):
        pos = pos.detach().requires_grad_(True)
        energy = self.energy(pos)
        forces = -torch.autograd.grad(energy.sum(), pos, create_graph=self.training)[0]
        return energy, forces


def lennard_jones(pos):
    with torch.enable_grad():
        pos = pos.detach().requires_grad_(True)
        i, j = torch.triu_indices(pos.size(1), pos.size(1), offset=1, device=pos.device)
        r = (pos[:, i] - pos[:, j]).norm(dim=-1).clamp(min=0.8)
        e = (r.pow(-12) - r.pow(-6)).sum(1)
        f = -torch.autograd.grad(e.sum(), pos)[0]
    return e.detach(), f


def evaluate(model, frames):
    model.eval()
    mae_e, mae_f = 0.0, 0.0
    for pos in frames:
        e, f = model(pos)
        te, tf = lennard_jones(pos)
        mae_e += F.l1_loss(e.detach(), te).item()
        mae_f += F.l1_loss(f, tf).item()
    return mae_e / len(frames), mae_f / len(frames)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Potential().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    frames = [torch.rand(4, 5, 3, device=device) * 3 for _ in range(4)]
    for epoch in range(2):
        model.train()
        for pos in frames[:3]:
            e, f = model(pos)
            te, tf = lennard_jones(pos)
            loss = F.mse_loss(e, te) + 10 * F.mse_loss(f, tf)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, evaluate(model, frames[3:]))


if __name__ == "__main__":
    main()
