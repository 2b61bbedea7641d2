import torch
import torch.nn as nn


class Kalman(nn.Module):
    def __init__(self, dim=2, obs=1):
        super().__init__()
        self.A = nn.Parameter(torch.eye(dim) + 0.05 * torch.randn(dim, dim))
        self.C = nn.Parameter(torch.randn(obs, dim) * 0.5)
        self.log_q = nn.Parameter(torch.full((dim,), -2.0))
        self.log_r = nn.Parameter(torch.full((obs,), -1.0))
        self.register_buffer("m0", torch.zeros(dim))
        self.register_buffer("P0", torch.eye(dim))

    def forward(self, ys):
        """ys: T x obs, gives the negative log likelihood and the filtered means."""
        m, P = self.m0, self.P0
        Q, R = torch.diag(self.log_q.exp()), torch.diag(self.log_r.exp())
        eye = torch.eye(len(m), device=m.device)
        nll, means = ys.new_zeros(()), []
        for y in ys:
            m = self.A @ m
            P = self.A @ P @ self.A.T + Q
            S = self.C @ P @ self.C.T + R
            innov = y - self.C @ m
            K = torch.linalg.solve(S, self.C @ P).T
            m = m + K @ innov
            P = (eye - K @ self.C) @ P
            P = 0.5 * (P + P.T)
            nll = nll + 0.5 * (innov @ torch.linalg.solve(S, innov) + torch.logdet(S))
            means.append(m)
        return nll / len(ys), torch.stack(means)

    @torch.no_grad()
    def forecast(self, m, n):
        out = []
        for _ in range(n):
            m = self.A @ m
            out.append(self.C @ m)
        return torch.stack(out)


def simulate(T):
    th = torch.tensor(0.3)
    A = torch.stack([torch.stack([th.cos(), -th.sin()]), torch.stack([th.sin(), th.cos()])])
    x, ys = torch.tensor([1.0, 0.0]), []
    for _ in range(T):
        x = A @ x + 0.05 * torch.randn(2)
        ys.append(x[:1] + 0.1 * torch.randn(1))
    return torch.stack(ys)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    ys = simulate(30).to(device)
    kf = Kalman().to(device)
    opt = torch.optim.Adam(kf.parameters(), lr=2e-2)
    history = []
    for _ in range(10):
        opt.zero_grad()
        nll, means = kf(ys[:25])
        nll.backward()
        opt.step()
        history.append(nll.detach())
    pred = kf.forecast(means[-1], 5)
    print(torch.stack(history).cpu().numpy()[[0, -1]], (pred - ys[25:]).abs().mean().item())


main()
