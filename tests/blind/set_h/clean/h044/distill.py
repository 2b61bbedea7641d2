import torch
import torch.nn as nn
import torch.nn.functional as F

from sampler import DDIMScheduler


class Eps(nn.Module):
    def __init__(self, dim=2, hidden=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim + 1, hidden), nn.SiLU(), nn.Linear(hidden, dim))

    def forward(self, x, t):
        return self.net(torch.cat([x, x.new_full((len(x), 1), t / 100)], dim=1))


class Distiller:
    def __init__(self, device):
        self.device = device
        self.teacher = Eps().to(device).eval().requires_grad_(False)
        self.student = Eps().to(device)
        self.scheduler = DDIMScheduler(device=device)
        self.scheduler.set_timesteps(4)
        self.optimizer = torch.optim.AdamW(self.student.parameters(), lr=1e-3)
        self.lr_scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=12)

    def _advance(self):
        self.lr_scheduler.step()

    @torch.no_grad()
    def teacher_pair(self, n):
        x = torch.randn(n, 2, device=self.device)
        states = [x]
        for i, t in enumerate(self.scheduler.timesteps):
            x = self.scheduler.step(self.teacher(x, t), i, x)
            states.append(x)
        return states

    def train_step(self):
        states = self.teacher_pair(16)
        losses = []
        for i, t in enumerate(self.scheduler.timesteps):
            guess = self.scheduler.step(self.student(states[i], t), i, states[i])
            losses.append(F.mse_loss(guess, states[i + 1]))
        loss = torch.stack(losses).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self._advance()
        return loss.detach()


if __name__ == "__main__":
    d = Distiller("cuda" if torch.cuda.is_available() else "cpu")
    curve = torch.stack([d.train_step() for _ in range(12)])
    print(curve[0].item(), curve[-1].item(), d.lr_scheduler.get_last_lr())
