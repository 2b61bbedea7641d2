import torch
import torch.nn as nn


class PINN(nn.Module):
    """Solves u' = -u with u(0) = 1."""

    def __init__(self, width=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, t):
        return 1 + t * self.net(t)


def residual(model, t):
    u = model(t)
    du, = torch.autograd.grad(u, t, grad_outputs=torch.ones_like(u), create_graph=True)
    return du + u


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = PINN().to(device)
    t = torch.linspace(0, 2, 32, device=device).unsqueeze(1).requires_grad_()
    opt = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=5, history_size=5)
    trace = []

    def closure():
        opt.zero_grad()
        loss = residual(model, t).pow(2).mean()
        loss.backward()
        trace.append(loss.item())
        return loss

    for outer in range(3):
        opt.step(closure)
        print(f"outer {outer}: {trace[-1]:.6f} after {len(trace)} evaluations")

    with torch.no_grad():
        error = (model(t) - torch.exp(-t)).abs().max().item()
    print("max error", error)


if __name__ == "__main__":
    main()
