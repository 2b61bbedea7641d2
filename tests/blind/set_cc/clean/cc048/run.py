import torch
from torch import nn

from distil import Distiller


def net(width, p):
    return nn.Sequential(nn.Linear(8, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(p), nn.Linear(width, 4))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
teacher, student = net(64, 0.3).to(device), net(12, 0.1).to(device)
batches = [(torch.randn(32, 8, device=device), torch.randint(0, 4, (32,), device=device)) for _ in range(6)]
for row in Distiller(teacher, student).fit(batches):
    print(*row)
