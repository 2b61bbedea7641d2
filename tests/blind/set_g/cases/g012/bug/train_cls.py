import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

from losses import build_criterion

CLASSES = 4


def make_data(n=64):
    labels = np.random.choice(CLASSES, size=n, p=[0.7, 0.1, 0.1, 0.1])
    feats = np.random.randn(n, 12).astype(np.float32) + labels[:, None]
    return feats, labels


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    feats, labels = make_data()
    loader = DataLoader(TensorDataset(torch.from_numpy(feats).float(), torch.from_numpy(labels).long()), batch_size=16)
    model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, CLASSES)).to(device)
    criterion = build_criterion(labels, CLASSES)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.9)
    for epoch in range(2):
        running = 0.0
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            running += loss.item() * x.size(0)
        scheduler.step()
        print(f"{epoch}: {running / len(loader.dataset):.4f}")


if __name__ == "__main__":
    main()
