import torch
from torch import nn

from network import ConvNet


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = ConvNet().to(device)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    for it in range(3):
        img = torch.rand(4, 3, 16, 16, device=device)
        target = torch.randint(0, 5, (4,), device=device)
        loss = criterion(net(img), target)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    print("final", loss.item())


if __name__ == "__main__":
    main()
