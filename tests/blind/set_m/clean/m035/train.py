import numpy as np
import torch
from torch import nn
from types_util import describe, to_tensor

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)

buffers = [np.random.rand(16, 4), torch.rand(16, 4), [[0.1, 0.2, 0.3, 0.4]] * 16]
for i, raw in enumerate(buffers):
    x = to_tensor(raw, device)
    x = x.float()
    target = torch.ones(len(x), 1, device=device)
    out = model(x)
    loss = nn.functional.mse_loss(out, target)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, describe(out), loss.item())
