import torch
import torch.nn as nn
import torch.nn.functional as F


class Inception(nn.Module):
    def __init__(self, c_in, widths):
        super().__init__()
        branches = []
        for i, w in enumerate(widths):
            layers = [nn.Conv2d(c_in, w, 1), nn.ReLU()]
            for _ in range(i):
                layers += [nn.Conv2d(w, w, 3, padding=1), nn.ReLU()]
            branches.append(nn.Sequential(*layers))
        self.branches = nn.ModuleList(branches)
        self.bn = nn.BatchNorm2d(sum(widths))

    def forward(self, x):
        return F.relu(self.bn(torch.cat([b(x) for b in self.branches], dim=1)))


class Classifier(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, padding=1)
        self.inc = Inception(4, (2, 3, 3))
        self.fc = nn.Linear(8, classes)

    def forward(self, x):
        return self.fc(self.inc(self.stem(x)).mean((2, 3)))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Classifier().to(device)
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(2):
        x, y = torch.rand(4, 3, 8, 8, device=device), torch.randint(0, 4, (4,), device=device)
        loss = F.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
