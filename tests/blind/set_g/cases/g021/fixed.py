import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset


class Signals(Dataset):
    def __init__(self, n=20, length=32):
        t = torch.linspace(0, 6.28, length)
        self.freq = torch.randint(1, 4, (n,))
        self.x = torch.sin(t * self.freq[:, None]) + 0.1 * torch.randn(n, length)

    def __getitem__(self, index):
        return dict(signal=self.x[index][None], label=self.freq[index] - 1)

    def __len__(self):
        return len(self.x)


class Conv1dNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 6, 5, padding=2)
        self.fc = nn.Linear(6, 3)

    def forward(self, x):
        return self.fc(torch.relu(self.conv(x)).mean(-1))


class Experiment:
    def __init__(self, lr=0.01):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = Conv1dNet()
        self.net.to(self.device)
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = optim.SGD(self.net.parameters(), lr=lr, momentum=0.9)

    def prepare(self, batch):
        signal, label = batch["signal"], batch["label"]
        signal = signal.to(self.device)
        label = label.to(self.device)
        return signal, label

    def fit(self, loader):
        for batch in loader:
            signal, label = self.prepare(batch)
            self.optimizer.zero_grad()
            loss = self.criterion(self.net(signal), label)
            loss.backward()
            self.optimizer.step()
        return loss.item()


if __name__ == "__main__":
    print(Experiment().fit(DataLoader(Signals(), batch_size=5, shuffle=True)))
