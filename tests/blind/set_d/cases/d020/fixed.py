import copy

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))
net.to(device)
shadow = {k: v.detach().clone() for k, v in net.state_dict().items()}
optimizer = torch.optim.Adam(net.parameters())


def ema_update(decay=0.99):
    for k, v in net.state_dict().items():
        shadow[k] = shadow[k] * decay + v.detach() * (1 - decay)


for _ in range(3):
    x = torch.randn(16, 4, device=device)
    loss = (net(x) - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    ema_update()
final = copy.deepcopy(net)
final.load_state_dict(shadow)
