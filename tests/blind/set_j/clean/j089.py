from contextlib import nullcontext

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def run_epoch(model, loader, criterion, device, optimizer=None):
    training = optimizer is not None
    model.train(training)
    total = torch.zeros((), device=device)
    with nullcontext() if training else torch.no_grad():
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            loss = criterion(model(x), y)
            if training:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            total += loss.detach() * len(x)
    return (total / len(loader.dataset)).item()


def predict(model, x, samples=4):
    was = model.training
    model.train()
    prev = torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    try:
        draws = torch.stack([model(x).softmax(1) for _ in range(samples)])
    finally:
        torch.set_grad_enabled(prev)
        model.train(was)
    return draws.mean(0), draws.var(0).sum(1)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    make = lambda n: DataLoader(TensorDataset(torch.randn(n, 6), torch.randint(0, 3, (n,))), batch_size=16)
    train, val = make(48), make(16)
    model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 3)).to(device)
    criterion, opt = nn.CrossEntropyLoss(), torch.optim.Adam(model.parameters())
    for epoch in range(2):
        print(run_epoch(model, train, criterion, device, opt), run_epoch(model, val, criterion, device))
        mean, var = predict(model, torch.randn(4, 6, device=device))
    print(var.tolist())


if __name__ == "__main__":
    main()
