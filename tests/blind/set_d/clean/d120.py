import copy

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def main():
    model = nn.Linear(3, 3)
    optimizer = torch.optim.AdamW(model.parameters())
    model = model.to(device)
    host = copy.deepcopy(model).cpu()
    for _ in range(2):
        x = torch.randn(4, 3)
        loss = (model(x.to(device)) - host(x).detach().to(device)).abs().mean() + model.weight.norm()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        host.load_state_dict(model.state_dict())
    return host
