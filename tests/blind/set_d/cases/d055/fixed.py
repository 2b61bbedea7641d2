import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def regress(model, x, y, steps=100):
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return loss.item()
