import torch
import torch.nn as nn
import torch.nn.functional as F


class GrowingNet(nn.Module):
    """Adds residual blocks between phases; the head learns its input width from the first batch."""

    def __init__(self, width, classes):
        super().__init__()
        self.stem = nn.Conv1d(2, width, 5, padding=2)
        self.blocks = nn.ModuleList()
        self.head = nn.LazyLinear(classes)
        self.width = width
        self.grow()

    def grow(self):
        weight = self.stem.weight
        block = nn.Conv1d(self.width, self.width, 3, padding=1).to(weight.device)
        nn.init.zeros_(block.weight)
        nn.init.zeros_(block.bias)
        self.blocks.append(block)
        return block

    def forward(self, x):
        x = F.gelu(self.stem(x))
        for block in self.blocks:
            x = x + block(x)
        kernel = x.new_full((self.width, 1, 3), 1 / 3)
        x = F.conv1d(x, kernel, padding=1, groups=self.width)
        return self.head(x.flatten(1))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = GrowingNet(6, 3).to(device)
    with torch.no_grad():
        net(torch.zeros(1, 2, 20, device=device))
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for phase in range(3):
        for _ in range(4):
            x = torch.randn(8, 2, 20, device=device)
            y = torch.randint(3, (8,), device=device)
            opt.zero_grad()
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            opt.step()
        print(phase, len(net.blocks), loss.item())
        if phase < 2:
            opt.add_param_group({"params": list(net.grow().parameters())})


main()
