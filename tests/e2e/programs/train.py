import torch
from torch import nn

device = torch.device("cuda")
model = nn.Linear(16, 4)
model.to(device)

x = torch.randn(8, 16)
x.to(device)

loss = model(x).sum()
loss.backward()
