import argparse

import torch
from torch import nn
from torch.optim.lr_scheduler import StepLR


def build_model(freeze):
    backbone = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
    if freeze:
        for p in backbone.parameters():
            p.requires_grad_(False)
    return nn.Sequential(backbone, nn.Linear(8, 4))


def describe(params):
    return sum(p.numel() for p in params)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--freeze", action="store_true")
    parser.add_argument("--lr", type=float, default=1e-2)
    parser.add_argument("--epochs", type=int, default=2)
    opt = parser.parse_args()

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = build_model(opt.freeze).to(device)
    trainable = filter(lambda p: p.requires_grad, model.parameters())
    print(f"training {describe(trainable)} parameters")

    optimizer = torch.optim.SGD(trainable, lr=opt.lr, momentum=0.9)
    scheduler = StepLR(optimizer, step_size=1, gamma=0.5)
    criterion = nn.CrossEntropyLoss().to(device)

    images = torch.randn(24, 3, 16, 16)
    labels = torch.randint(0, 4, (24,))
    for epoch in range(opt.epochs):
        model.train()
        for i in range(0, 24, 8):
            x, y = images[i:i + 8].to(device), labels[i:i + 8].to(device)
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
        scheduler.step()
        print(epoch, scheduler.get_last_lr(), loss.item())


if __name__ == "__main__":
    main()
