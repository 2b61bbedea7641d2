import torch
from torch import nn


def pretrain(model, optimizer, steps=2):
    for _ in range(steps):
        x = torch.randn(8, 4)
        loss = nn.functional.mse_loss(model(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def finetune(model, optimizer, device, steps=2):
    for _ in range(steps):
        x = torch.randn(8, 4, device=device)
        loss = nn.functional.l1_loss(model(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    pretrain(model, optimizer)
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    finetune(model, optimizer, device)


if __name__ == "__main__":
    main()
