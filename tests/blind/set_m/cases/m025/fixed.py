import torch
from torch import nn
import torch.nn.functional as F


class ResidualMLP(nn.Module):
    def __init__(self, c_in, c_out, dropout=0.1):
        super().__init__()
        self.fc1 = nn.Linear(c_in, c_out)
        self.fc2 = nn.Linear(c_out, c_out)
        self.drop = nn.Dropout(dropout)
        self.c_in, self.c_out = c_in, c_out
        self.skip = nn.Linear(c_in, c_out, bias=False) if c_in != c_out else nn.Identity()

    def forward(self, x):
        h = self.fc2(self.drop(F.relu(self.fc1(x))))
        return F.relu(h + self.skip(x))


class Net(nn.Module):
    def __init__(self, dims=(8, 16, 16), n_out=3):
        super().__init__()
        self.blocks = nn.Sequential(*[ResidualMLP(a, b) for a, b in zip(dims, dims[1:])])
        self.head = nn.Linear(dims[-1], n_out)

    def forward(self, x):
        return self.head(self.blocks(x))


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Net().to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for step in range(5):
        x = torch.randn(20, 8, device=device)
        target = torch.randint(3, (20,), device=device)
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), target)
        loss.backward()
        optimizer.step()
        print(step, loss.item())
