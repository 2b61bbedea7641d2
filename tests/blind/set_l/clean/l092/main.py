import torch
import torch.nn as nn
import torch.nn.functional as F

from augment import ChannelJitter, Compose, Flip, RandomErase


def net(classes=3):
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, classes),
    )


def consistency(model, a, b, t=0.5):
    with torch.no_grad():
        target = (model(a) / t).softmax(1)
    return F.kl_div(model(b).log_softmax(1), target, reduction="batchmean")


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    aug = Compose(RandomErase(), ChannelJitter(), Flip())
    model = net().to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(3):
        x = torch.randn(6, 3, 12, 12, device=device)
        y = torch.randint(0, 3, (6,), device=device)
        loss = F.cross_entropy(model(aug(x)), y) + 0.5 * consistency(model, x, aug(x))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
