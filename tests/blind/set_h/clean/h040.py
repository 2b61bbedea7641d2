import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Energy(nn.Module):
    """Potential energy of a chain; forces are minus its gradient, also when it is only evaluated."""

    def __init__(self, hidden=32):
        super().__init__()
        self.pair = nn.Sequential(nn.Linear(1, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, 1))

    def forward(self, pos):
        d = (pos[:, 1:] - pos[:, :-1]).square().sum(-1, keepdim=True)
        return self.pair(d).sum((1, 2))

    def forces(self, pos, training):
        pos = pos.detach().requires_grad_()
        energy = self(pos)
        (grad,) = torch.autograd.grad(energy.sum(), pos, create_graph=training)
        return energy, -grad


def reference(pos):
    d = pos[:, 1:] - pos[:, :-1]
    r = d.norm(dim=-1, keepdim=True)
    pull = (r - 1) * d / r
    force = torch.zeros_like(pos)
    force[:, :-1] += pull
    force[:, 1:] -= pull
    return 0.5 * (r - 1).square().sum((1, 2)), force


def train_epoch(model, loader, opt, device):
    model.train()
    for (pos,) in loader:
        pos = pos.to(device)
        e_ref, f_ref = reference(pos)
        e, f = model.forces(pos, training=True)
        loss = F.mse_loss(e, e_ref) + 10 * F.mse_loss(f, f_ref)
        opt.zero_grad()
        loss.backward()
        opt.step()


def validate(model, loader, device):
    model.eval()
    e_err = f_err = 0.0
    for (pos,) in loader:
        pos = pos.to(device)
        e_ref, f_ref = reference(pos)
        e, f = model.forces(pos, training=False)
        e_err += F.l1_loss(e.detach(), e_ref).item()
        f_err += F.l1_loss(f, f_ref).item()
    return e_err / len(loader), f_err / len(loader)


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = torch.randn(96, 4, 3)
    train = DataLoader(TensorDataset(data[:64]), batch_size=16, shuffle=True)
    val = DataLoader(TensorDataset(data[64:]), batch_size=16)
    model = Energy().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(2):
        train_epoch(model, train, optimizer, device)
        print(epoch, "energy %.3f force %.3f" % validate(model, val, device))
