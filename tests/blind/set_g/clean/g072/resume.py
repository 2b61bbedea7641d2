import os

import torch
import torch.nn as nn
import torch.nn.functional as F

import state


def setup(device):
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)).to(device)
    return model, torch.optim.Adam(model.parameters(), lr=1e-2)


def run(model, optimizer, device, first, last):
    for step in range(first, last):
        x = torch.randn(16, 4).to(device)
        loss = F.mse_loss(model(x), x.mean(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, optimizer = setup(device)
    run(model, optimizer, device, 0, 3)
    state.save(model, optimizer, 3)
    model, optimizer = setup(device)
    first = state.restore(model, optimizer)
    print("resumed at", first, run(model, optimizer, device, first, 6))
    os.remove(state.PATH)


if __name__ == "__main__":
    main()
