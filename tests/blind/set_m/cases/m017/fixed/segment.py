import argparse
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from unet import MiniUNet


def loaders():
    imgs = torch.rand(24, 3, 16, 16)
    masks = (imgs.mean(1, keepdim=True) > 0.5).float()
    return (DataLoader(TensorDataset(imgs[:16], masks[:16]), 8, shuffle=True),
            DataLoader(TensorDataset(imgs[16:], masks[16:]), 4))


def train_epoch(model, loader, opt, device):
    model.train()
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


@torch.no_grad()
def dice(model, loader, device):
    model.eval()
    scores = []
    for x, y in loader:
        pred = (model(x.to(device)).sigmoid() > 0.5).float()
        y = y.to(device)
        inter = (pred * y).sum()
        scores.append((2 * inter / (pred.sum() + y.sum() + 1e-6)).item())
    return sum(scores) / len(scores)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()
    train_dl, val_dl = loaders()
    net = MiniUNet().to(args.device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for ep in range(args.epochs):
        train_epoch(net, train_dl, opt, args.device)
        print(ep, dice(net, val_dl, args.device))
