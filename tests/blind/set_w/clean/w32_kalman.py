import torch
from torch import nn


class Kalman(nn.Module):
    """Constant velocity filter whose noise levels are learnt from trajectories."""

    def __init__(self, dt=1.0):
        super().__init__()
        F = torch.eye(4)
        F[0, 2] = F[1, 3] = dt
        H = torch.zeros(2, 4)
        H[0, 0] = H[1, 1] = 1
        self.register_buffer("F", F)
        self.register_buffer("H", H)
        self.log_q = nn.Parameter(torch.full((4,), -2.0))
        self.log_r = nn.Parameter(torch.full((2,), -1.0))

    def start(self, z):
        x = torch.cat([z, torch.zeros_like(z)], -1)
        P = torch.eye(4).to(z).expand(len(z), 4, 4)
        return x, P

    def predict(self, x, P):
        Q = torch.diag(self.log_q.exp())
        return x @ self.F.T, self.F @ P @ self.F.T + Q

    def correct(self, x, P, z):
        S = self.H @ P @ self.H.T + torch.diag(self.log_r.exp())
        K = torch.linalg.solve(S, self.H @ P).mT
        resid = z - x @ self.H.T
        nll = 0.5 * (torch.logdet(S) + (resid[:, None] @ torch.linalg.solve(S, resid[..., None])).flatten())
        x = x + (K @ resid[..., None]).squeeze(-1)
        P = P - K @ self.H @ P
        return x, P, nll

    def forward(self, track):
        x, P = self.start(track[0])
        total = 0
        for z in track[1:]:
            x, P = self.predict(x, P)
            x, P, nll = self.correct(x, P, z)
            total = total + nll.mean()
        return total / (len(track) - 1)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
kf = Kalman()
opt = torch.optim.Adam(kf.parameters(), lr=0.05)
kf.to(device)
for epoch in range(3):
    walk = torch.randn(8, 5, 2).cumsum(0)
    walk = walk.to(device, non_blocking=True)
    loss = kf(walk)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(epoch, loss.item(), kf.log_r.detach().exp().cpu().numpy())
