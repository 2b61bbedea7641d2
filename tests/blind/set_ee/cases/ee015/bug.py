import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset


def make_loader(n, shuffle):
    x = torch.randn(n, 12)
    y = (x.sum(1) > 0).long()
    return DataLoader(TensorDataset(x, y), batch_size=16, shuffle=shuffle)


def evaluate(net, loader, device):
    net.eval()
    hits = total = 0
    torch.set_grad_enabled(False)
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        hits += (net(x).argmax(1) == y).sum().item()
        total += y.numel()
    return hits / total


def train_one_epoch(net, loader, criterion, optimizer, device):
    net.train()
    running_loss = 0.0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        output = net(x)
        loss = criterion(output, y)
        loss.backward()
        optimizer.step()
        running_loss += loss.item()
    return running_loss / len(loader)


if __name__ == '__main__':
    device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
    train_loader = make_loader(128, True)
    test_loader = make_loader(64, False)

    net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 2)).to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)

    best = 0.0
    for epoch in range(3):
        loss = train_one_epoch(net, train_loader, criterion, optimizer, device)
        scheduler.step()
        acc = evaluate(net, test_loader, device)
        best = max(best, acc)
        print('Epoch %d | loss %.3f | acc %.3f | best %.3f' % (epoch, loss, acc, best))
