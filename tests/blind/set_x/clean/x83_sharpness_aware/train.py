import torch
from torch import nn

from sam import SAM


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1, self.l2 = nn.Linear(6, 18), nn.Linear(18, 3)

    def forward(self, x):
        return self.l2(self.l1(x).relu())


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Net().to(device)
    opt = SAM(net.parameters(), torch.optim.SGD, rho=0.05, lr=0.1, momentum=0.9)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    losses = []
    for _ in range(4):
        x = torch.randn(12, 6, device=device)
        y = x[:, :3].argmax(dim=1)

        def closure():
            loss = criterion(net(x), y)
            loss.backward()
            return loss

        losses.append(opt.step(closure))
    print(torch.stack(losses).tolist())


if __name__ == "__main__":
    main()
