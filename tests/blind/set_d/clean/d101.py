import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def run():
    net = nn.Linear(4, 2)
    net.to(device)
    net.train()
    x = torch.randn(3, 4, device=device)
    mask = torch.tensor([True, False, True])
    y = net(x)[mask]
    scale = torch.tensor(2.0)
    return (y * scale).sum().item()
