import torch
import torch.nn as nn
import torch.nn.functional as F

from schedulers import DDIMScheduler

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Eps(nn.Module):
    def __init__(self, dim=2, steps=20):
        super().__init__()
        self.t = nn.Embedding(steps, 16)
        self.net = nn.Sequential(nn.Linear(dim + 16, 64), nn.SiLU(), nn.Linear(64, dim))

    def forward(self, x, t):
        return self.net(torch.cat([x, self.t(t)], dim=-1))


def preview(model, scheduler, n=4):
    model.eval()
    with torch.no_grad():
        x = torch.randn(n, 2, device=device)
        for t in reversed(range(scheduler.steps)):
            x = scheduler.step(model(x, torch.full((n,), t, device=device)), t, x)
    model.train()
    return x


scheduler = DDIMScheduler(device=device)
model = Eps().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
lr_decay = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
for epoch in range(4):
    print("sample", preview(model, scheduler)[0].tolist())
    if epoch > 0:
        lr_decay.step()
    for _ in range(3):
        x0 = torch.randn(32, 2, device=device) * 0.1 + 1
        noise = torch.randn_like(x0)
        t = torch.randint(0, scheduler.steps, (32,), device=device)
        loss = F.mse_loss(model(scheduler.add_noise(x0, noise, t), t), noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, lr_decay.get_last_lr(), loss.item())
