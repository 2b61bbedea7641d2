import torch
import torch.nn as nn
import torch.nn.functional as F

import adapters

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3)).to(device)
trainable = adapters.wrap(model)
opt = torch.optim.AdamW(trainable, lr=1e-2)
for _ in range(4):
    x = torch.randn(8, 8, device=device)
    loss = F.cross_entropy(model(x), x[:, :3].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
adapters.unwrap(model)
print(loss.item(), [type(m).__name__ for m in model])
