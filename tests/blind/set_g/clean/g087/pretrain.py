import torch
import torch.nn as nn

from moco import MoCo


def make_encoder(n_in, dim):
    return nn.Sequential(nn.Linear(n_in, 24), nn.ReLU(), nn.Linear(24, dim))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = MoCo(make_encoder(10, 8), 8).to(device)
    optimizer = torch.optim.SGD(model.query.parameters(), lr=0.03, momentum=0.9)
    for step in range(5):
        x = torch.randn(8, 10, device=device)
        loss = model(x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
