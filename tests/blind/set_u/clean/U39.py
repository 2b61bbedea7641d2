import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
amp = device.type == "cuda"

encoder = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 8)).to(device)
probe = nn.Linear(8, 3).to(device)
opt_enc = torch.optim.AdamW(encoder.parameters(), lr=1e-3)
opt_probe = torch.optim.SGD(probe.parameters(), lr=0.1)
scaler = torch.amp.GradScaler(device.type, enabled=amp)
ACCUM, CLIP = 2, 1.0


def losses(x, y):
    with torch.autocast(device.type, enabled=amp):
        z = encoder(x)
        z2 = encoder(x + 0.1 * torch.randn_like(x))
        logits = probe(z.detach())
        pull = 1 - F.cosine_similarity(z, z2).mean()
        spread = F.relu(1 - z.float().std(dim=0)).mean()
        return pull + spread, F.cross_entropy(logits, y)


for it in range(6):
    x, y = torch.randn(16, 20, device=device), torch.randint(0, 3, (16,), device=device)
    ssl, cls = losses(x, y)
    scaler.scale((ssl + cls) / ACCUM).backward()
    if (it + 1) % ACCUM:
        continue
    scaler.unscale_(opt_enc)
    nn.utils.clip_grad_norm_(encoder.parameters(), CLIP)
    scaler.step(opt_enc)
    scaler.step(opt_probe)
    scaler.update()
    opt_enc.zero_grad()
    opt_probe.zero_grad()
    print(it, ssl.item(), cls.item())
