import torch

from losses import DeepSupervisionLoss
from net import TinySeg


def scans(n, device):
    for _ in range(n):
        label = torch.randint(0, 3, (2, 16, 16), device=device)
        yield torch.randn(2, 1, 16, 16, device=device) + label.unsqueeze(1), label


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = TinySeg(3).to(device)
    criterion = DeepSupervisionLoss(3)
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.99, nesterov=True)
    for img, label in scans(4, device):
        opt.zero_grad()
        loss = criterion(net(img), label)
        loss.backward()
        opt.step()
        print("dice loss", loss.item())
    return net


if __name__ == "__main__":
    main()
