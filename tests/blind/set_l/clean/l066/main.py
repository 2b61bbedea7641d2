import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from report import ScoreBook


def run(model, loader, device, optimizer=None):
    book = ScoreBook()
    model.train(optimizer is not None)
    for x, y in loader:
        with torch.set_grad_enabled(optimizer is not None):
            out = model(x.to(device)).squeeze(1)
            loss = F.binary_cross_entropy_with_logits(out, y.to(device))
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        book.add(out, y)
    return book.auc()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(160, 7)
    y = (x[:, 0] + 0.5 * torch.randn(160) > 0).float()
    train = DataLoader(TensorDataset(x[:128], y[:128]), batch_size=16, shuffle=True)
    test = DataLoader(TensorDataset(x[128:], y[128:]), batch_size=16)
    model = nn.Sequential(nn.Linear(7, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(3):
        print(epoch, run(model, train, device, opt), run(model, test, device))


if __name__ == "__main__":
    main()
