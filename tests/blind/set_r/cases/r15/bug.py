import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.set_default_device(device)


class Waves(Dataset):
    def __init__(self, n=64, length=20):
        phase = torch.rand(n, 1) * 6.28
        t = torch.linspace(0, 6.28, length)
        self.x = torch.sin(t[None, :] + phase)
        self.y = (phase.squeeze(1) > 3.14).long()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Net(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.fc1 = nn.Linear(length, 16)
        self.fc2 = nn.Linear(16, 2)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


train_loader = DataLoader(Waves(), batch_size=16, shuffle=True)
test_loader = DataLoader(Waves(n=32), batch_size=16)
net = Net(20)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

for epoch in range(3):
    net.train()
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        optimizer.step()
    net.eval()
    hits = 0
    with torch.no_grad():
        for x, y in test_loader:
            hits += (net(x).argmax(1) == y).sum().item()
    print(epoch, loss.item(), hits / 32)
