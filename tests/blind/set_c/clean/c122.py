import torch
import torch.nn as nn


class PreActBlock(nn.Module):
    def __init__(self, c_in, c_out, stride=1):
        super().__init__()
        self.bn1, self.bn2 = nn.BatchNorm2d(c_in), nn.BatchNorm2d(c_out)
        self.conv1 = nn.Conv2d(c_in, c_out, 3, stride, 1, bias=False)
        self.conv2 = nn.Conv2d(c_out, c_out, 3, 1, 1, bias=False)
        self.relu = nn.ReLU(inplace=True)
        self.short = nn.Conv2d(c_in, c_out, 1, stride, bias=False) if stride != 1 or c_in != c_out else None

    def forward(self, x):
        out = self.relu(self.bn1(x))
        short = self.short(out) if self.short is not None else x
        out = self.conv1(out)
        out = self.conv2(self.relu(self.bn2(out)))
        out += short
        return out


class PreActNet(nn.Module):
    def __init__(self, widths=(4, 8), classes=3):
        super().__init__()
        self.stem = nn.Conv2d(1, widths[0], 3, padding=1)
        blocks, c = [], widths[0]
        for w in widths:
            blocks.append(PreActBlock(c, w, stride=2))
            c = w
        self.blocks = nn.Sequential(*blocks)
        self.fc = nn.Linear(c, classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out")
            elif isinstance(m, nn.BatchNorm2d):
                nn.init.constant_(m.weight, 1)

    def forward(self, x):
        x = self.blocks(self.stem(x))
        return self.fc(x.mean((-2, -1)))


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = PreActNet().to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    for _ in range(2):
        loss = nn.functional.cross_entropy(net(torch.rand(4, 1, 8, 8, device=device)), torch.tensor([0, 1, 2, 0], device=device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())
