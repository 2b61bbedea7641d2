import torch
from torch import nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
amp = device.type == "cuda"
gen = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)
disc = nn.Sequential(nn.Linear(4, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1)).to(device)
opt_g = torch.optim.Adam(gen.parameters(), lr=2e-4, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(disc.parameters(), lr=2e-4, betas=(0.5, 0.999))
scaler = torch.amp.GradScaler(device.type, enabled=amp)


def bce(logits, real):
    target = torch.full_like(logits, 1.0 if real else 0.0)
    return F.binary_cross_entropy_with_logits(logits, target)


for step in range(4):
    real = torch.randn(16, 4, device=device) + 2
    z = torch.randn(16, 8, device=device)
    with torch.autocast(device.type, dtype=torch.float16 if amp else torch.bfloat16, enabled=amp):
        fake = gen(z)
        loss_d = bce(disc(real), True) + bce(disc(fake.detach()), False)
    opt_d.zero_grad()
    scaler.scale(loss_d).backward()
    scaler.unscale_(opt_d)
    nn.utils.clip_grad_norm_(disc.parameters(), 1.0)
    scaler.step(opt_d)

    with torch.autocast(device.type, dtype=torch.float16 if amp else torch.bfloat16, enabled=amp):
        loss_g = bce(disc(fake), True)
    opt_g.zero_grad()
    scaler.scale(loss_g).backward()
    scaler.step(opt_g)
    scaler.update()
    print(step, loss_d.item(), loss_g.item())
