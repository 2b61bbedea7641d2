"""Kalman filter and a learned observation noise."""
import torch
from torch import nn


class Kalman(nn.Module):
    def __init__(self, dt=0.1):
        super().__init__()
        self.register_buffer("f", torch.tensor([[1.0, dt], [0.0, 1.0]]))
        self.register_buffer("h", torch.tensor([[1.0, 0.0]]))
        self.log_q = nn.Parameter(torch.tensor(-4.0))
        self.log_r = nn.Parameter(torch.tensor(-1.0))

    def forward(self, zs):
        x = zs.new_zeros(2, 1)
        p = torch.eye(2, device=zs.device)
        eye = torch.eye(2, device=zs.device)
        nll, means = 0.0, []
        for z in zs:
            x = self.f @ x
            p = self.f @ p @ self.f.t() + self.log_q.exp() * eye
            s = self.h @ p @ self.h.t() + self.log_r.exp()
            k = p @ self.h.t() / s
            innov = z.view(1, 1) - self.h @ x
            nll = nll + 0.5 * (innov.pow(2) / s + s.log()).sum()
            x = x + k @ innov
            p = (eye - k @ self.h) @ p
            means.append(x[0, 0].detach())
        return nll / len(zs), torch.stack(means)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    kf = Kalman().to(device)
    optimizer = torch.optim.Adam(kf.parameters(), lr=0.1)
    truth = torch.linspace(0, 2, 12, device=device)
    for _ in range(3):
        loss, means = kf(truth + 0.2 * torch.randn_like(truth))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item(), (means - truth).abs().mean().item())


if __name__ == "__main__":
    main()
