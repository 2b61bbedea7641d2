import contextlib
import torch
from torch import nn


class Precision:
    def __init__(self, device, enabled=True):
        self.device_type = device.type
        self.enabled = enabled
        self.scaler = torch.amp.GradScaler(device.type, enabled=enabled)

    def forward(self):
        if not self.enabled:
            return contextlib.nullcontext()
        return torch.autocast(self.device_type, dtype=torch.bfloat16)

    def backward(self, loss):
        self.scaler.scale(loss).backward()

    def step(self, optimizer, params, max_norm):
        self.scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(params, max_norm)
        self.scaler.step(optimizer)


class Segmenter(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.down = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose2d(8, classes, 2, stride=2)

    def forward(self, x):
        return self.up(self.down(x).relu())


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Segmenter().to(device)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
amp = Precision(device)
for step in range(3):
    x = torch.randn(2, 3, 16, 16, device=device)
    y = torch.randint(0, 4, (2, 16, 16), device=device)
    opt.zero_grad()
    with amp.forward():
        loss = nn.functional.cross_entropy(model(x), y)
    amp.backward(loss)
    amp.step(opt, model.parameters(), 1.0)
    print(step, loss.item())
