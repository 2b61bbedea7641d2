import argparse
import torch
import torch.nn as nn


class KalmanFilter(nn.Module):
    """Constant-velocity filter whose noise levels are learned."""

    def __init__(self, dt=0.1, dims=2):
        super().__init__()
        self.dims = dims
        eye = torch.eye(dims)
        zero = torch.zeros(dims, dims)
        self.register_buffer("transition", torch.cat([torch.cat([eye, dt * eye], 1), torch.cat([zero, eye], 1)]))
        self.register_buffer("observe", torch.cat([eye, zero], 1))
        self.log_q = nn.Parameter(torch.full((2 * dims,), -3.0))
        self.log_r = nn.Parameter(torch.full((dims,), -1.0))

    def predict(self, mean, cov):
        mean = mean @ self.transition.t()
        cov = self.transition @ cov @ self.transition.t() + torch.diag(self.log_q.exp())
        return mean, cov

    def update(self, mean, cov, z):
        h = self.observe
        innovation = z - mean @ h.t()
        s = h @ cov @ h.t() + torch.diag(self.log_r.exp())
        gain = torch.linalg.solve(s, h @ cov).transpose(-1, -2)
        mean = mean + (gain @ innovation.unsqueeze(-1)).squeeze(-1)
        cov = cov - gain @ h @ cov
        nll = 0.5 * (innovation.unsqueeze(1) @ torch.linalg.solve(s, innovation.unsqueeze(-1))).squeeze() + 0.5 * torch.logdet(s)
        return mean, cov, nll

    def forward(self, obs):
        b, t, d = obs.shape
        mean = torch.cat([obs[:, 0], torch.zeros_like(obs[:, 0])], 1)
        cov = torch.eye(2 * d, device=obs.device).expand(b, -1, -1)
        total = 0.0
        for k in range(1, t):
            mean, cov = self.predict(mean, cov)
            mean, cov, nll = self.update(mean, cov, obs[:, k])
            total = total + nll.mean()
        return total / (t - 1)


def trajectories(n, steps, noise):
    velocity = torch.randn(n, 1, 2)
    time = torch.arange(steps).view(1, -1, 1) * 0.1
    return velocity * time + noise * torch.randn(n, steps, 2)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=5)
    ap.add_argument("--device", default=None)
    args = ap.parse_args()
    torch.manual_seed(0)
    device = torch.device(args.device or ("cuda" if torch.cuda.is_available() else "cpu"))
    kf = KalmanFilter().to(device)
    opt = torch.optim.Adam(kf.parameters(), lr=0.05)
    for i in range(args.steps):
        loss = kf(trajectories(8, 12, 0.2).to(device))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(i, loss.item())
    print("measurement noise", kf.log_r.detach().exp().sqrt().tolist())
