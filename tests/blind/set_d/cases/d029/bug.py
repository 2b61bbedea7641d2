import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.linspace(0, 1, 32, device=device).unsqueeze(1)
y = x**2
net = nn.Sequential(nn.Linear(1, 8), nn.ReLU(), nn.Linear(8, 1)).to(device)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
curve = []
for step in range(5):
    pred = net(x)
    loss = nn.functional.mse_loss(pred, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    curve.append(loss.cpu().numpy())
print(np.array(curve).min())
