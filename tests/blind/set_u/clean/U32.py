import sys

import torch
import torch.nn as nn
import torch.nn.functional as F


class PatchMixer(nn.Module):
    def __init__(self, patches=16, dim=32, classes=6):
        super().__init__()
        self.token_mix = nn.Linear(patches, patches)
        self.channel_mix = nn.Linear(dim, dim)
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, classes)
        self.register_buffer("order", torch.arange(patches), persistent=False)

    def forward(self, x):
        pos = torch.sin(self.order.float() / 10).view(1, -1, 1)
        noise = torch.zeros(x.size(0), 1, x.size(2), device=x.device)
        if self.training:
            noise = noise + 0.01 * torch.randn_like(noise)
        x = x + pos + noise
        x = x + self.token_mix(x.transpose(1, 2)).transpose(1, 2)
        x = x + F.gelu(self.channel_mix(self.norm(x)))
        return self.head(x.mean(dim=1))


def unwrap(m):
    return m.module if isinstance(m, nn.DataParallel) else m


device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
net = PatchMixer()
net.to(device)
ids = list(range(torch.cuda.device_count())) if torch.cuda.is_available() else []
if len(ids) > 1 and "--single" not in sys.argv:
    net = nn.DataParallel(net, device_ids=ids)

opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for it in range(5):
    x = torch.randn(12, 16, 32).to(device, non_blocking=True)
    y = torch.randint(0, 6, (12,), device=device)
    opt.zero_grad()
    F.cross_entropy(net(x), y).backward()
    opt.step()

state = {k: v.cpu() for k, v in unwrap(net).state_dict().items()}
fresh = PatchMixer()
fresh.load_state_dict(state)
fresh.eval()
with torch.no_grad():
    print(fresh(torch.randn(2, 16, 32)).shape)
