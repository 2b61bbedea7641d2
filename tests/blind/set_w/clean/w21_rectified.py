import copy
from contextlib import contextmanager
import torch
from torch import nn

use_gpu = torch.cuda.is_available()
device = torch.device("cuda:0" if use_gpu else "cpu")


class Ema:
    def __init__(self, model, decay=0.9):
        self.decay = decay
        self.shadow = {k: v.detach().clone() for k, v in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model):
        for k, v in model.state_dict().items():
            if v.dtype.is_floating_point:
                self.shadow[k].lerp_(v, 1 - self.decay)
            else:
                self.shadow[k].copy_(v)

    @contextmanager
    def swapped(self, model):
        saved = copy.deepcopy(model.state_dict())
        model.load_state_dict(self.shadow)
        try:
            yield model
        finally:
            model.load_state_dict(saved)


class Net(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.time = nn.Linear(1, 16)
        self.body = nn.Sequential(nn.Linear(d + 16, 32), nn.BatchNorm1d(32), nn.SiLU(), nn.Linear(32, d))

    def forward(self, x, t):
        return self.body(torch.cat([x, self.time(t).sin()], 1))


net = Net().to(device)
ema = Ema(net)
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
gen = torch.Generator(device=device).manual_seed(3)
data = torch.randn(128, 4)
for epoch in range(2):
    for x1 in data.split(32):
        x1 = x1.to(device)
        x0 = torch.randn(x1.shape, generator=gen, device=device)
        t = torch.rand(len(x1), 1, generator=gen, device=device)
        pred = net(torch.lerp(x0, x1, t), t)
        loss = (pred - (x1 - x0)).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        ema.update(net)

net.eval()
with ema.swapped(net) as m, torch.no_grad():
    x = torch.randn(8, 4, generator=gen, device=device)
    dt = torch.tensor(0.125)
    for i in range(8):
        t = x.new_full((len(x), 1), i * 0.125)
        k1 = m(x, t)
        k2 = m(x + dt * k1, t + dt)
        x += 0.5 * dt * (k1 + k2)
print(x.cpu().numpy().std())
