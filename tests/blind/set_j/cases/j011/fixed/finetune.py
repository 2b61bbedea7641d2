import torch
import torch.nn as nn
import torch.nn.functional as F

from lora import inject

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def pretrained():
    return nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 32), nn.GELU(), nn.Linear(32, 3))


model = inject(pretrained().to(device), device)
trainable = [p for p in model.parameters() if p.requires_grad]
opt = torch.optim.AdamW(trainable, lr=1e-3)
for step in range(4):
    x = torch.randn(8, 16, device=device)
    y = torch.randint(0, 3, (8,), device=device)
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print("loss", loss.item(), "trainable", sum(p.numel() for p in trainable))
