import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class CRNN(nn.Module):
    """Keyword spotting: conv front end, GRU, linear."""

    def __init__(self, mels=16, hidden=16, words=5):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(mels, 16, 5, padding=2), nn.BatchNorm1d(16), nn.ReLU())
        self.gru = nn.GRU(16, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, words)

    def forward(self, mel):
        h = self.conv(mel).transpose(1, 2)
        return self.fc(self.gru(h)[0][:, -1])


def train_epoch(net, loader, opt, loss_fn, device):
    net.train()
    total = 0.0
    for mel, word in loader:
        opt.zero_grad()
        loss = loss_fn(net(mel.to(device)), word.to(device))
        loss.backward()
        opt.step()
        total += loss.item()
    return total / len(loader)


def eval_epoch(net, loader, device):
    net.eval()
    right = 0
    torch.set_grad_enabled(False)
    for mel, word in loader:
        right += (net(mel.to(device)).argmax(1).cpu() == word).sum().item()
    return right / len(loader.dataset)


def main(epochs=3):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    mel, word = torch.randn(60, 16, 20), torch.randint(0, 5, (60,))
    train = DataLoader(TensorDataset(mel[:48], word[:48]), batch_size=12, shuffle=True)
    test = DataLoader(TensorDataset(mel[48:], word[48:]), batch_size=12)
    net = CRNN().to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    loss_fn = nn.CrossEntropyLoss(label_smoothing=0.05)
    for epoch in range(epochs):
        loss = train_epoch(net, train, opt, loss_fn, device)
        print(epoch, f"loss {loss:.3f} acc {eval_epoch(net, test, device):.2f}")


if __name__ == "__main__":
    main()
