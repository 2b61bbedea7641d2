import torch
import torch.nn as nn


class HNN(nn.Module):
    """Vector field as the symplectic gradient of a learned scalar."""

    def __init__(self, dim=2, width=48):
        super().__init__()
        self.H = nn.Sequential(nn.Linear(dim, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1, bias=False))
        half = dim // 2
        J = torch.zeros(dim, dim)
        J[:half, half:] = torch.eye(half)
        J[half:, :half] = -torch.eye(half)
        self.register_buffer("J", J)

    def forward(self, x):
        with torch.enable_grad():
            x = x if x.requires_grad else x.detach().requires_grad_(True)
            dH = torch.autograd.grad(self.H(x).sum(), x, create_graph=self.training)[0]
        return dH @ self.J.t()


def rk4(f, x, dt):
    k1 = f(x)
    k2 = f(x + dt / 2 * k1)
    k3 = f(x + dt / 2 * k2)
    k4 = f(x + dt * k3)
    return x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def rollout(model, x0, n, dt=0.1):
    traj = [x0]
    with torch.no_grad():
        for _ in range(n):
            traj.append(rk4(model, traj[-1], dt).detach())
    return torch.stack(traj)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = HNN().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    for it in range(30):
        x = torch.randn(64, 2, device=device)
        dx = torch.stack([x[:, 1], -torch.sin(x[:, 0])], 1)
        loss = (model(x) - dx).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    traj = rollout(model, torch.tensor([[1.0, 0.0]], device=device), 20)
    energy = 0.5 * traj[..., 1] ** 2 - traj[..., 0].cos()
    print(loss.item(), energy.std().item(), traj.cpu().numpy().shape)


if __name__ == "__main__":
    main()
