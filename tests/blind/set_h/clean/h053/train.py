import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from engine import Accumulator, SignSGD


def network():
    return nn.Sequential(nn.Linear(9, 40), nn.SiLU(), nn.Linear(40, 3))


def accumulate(model, loader, device, epochs=2):
    steps = Accumulator(torch.optim.Adam(model.parameters(), lr=3e-3))
    for _ in range(epochs):
        for x, y in loader:
            loss = F.cross_entropy(model(x.to(device)), y.to(device))
            steps.add(loss)
        steps.flush()
    return loss.item()


def sign_descent(model, loader, device):
    rule = SignSGD(model.parameters(), lr=1e-3)
    for x, y in loader:
        loss = F.cross_entropy(model(x.to(device)), y.to(device))
        rule.step(torch.autograd.grad(loss, rule.params))
    return loss.item()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(180, 9)
    loader = DataLoader(TensorDataset(x, x[:, :3].argmax(1)), batch_size=20, shuffle=True)
    print("accumulated", accumulate(network().to(device), loader, device))
    print("sign", sign_descent(network().to(device), loader, device))


if __name__ == "__main__":
    main()
