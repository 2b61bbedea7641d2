import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Blobs(Dataset):
    def __init__(self, n, k, seed):
        rng = np.random.default_rng(seed)
        self.y = rng.integers(0, k, size=n)
        self.x = rng.normal(size=(n, 2)) + self.y[:, None] * 2.0

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return torch.tensor(self.x[i], dtype=torch.float32), int(self.y[i])


class ConfusionMeter:
    def __init__(self, k):
        self.k = k
        self.reset()

    def reset(self):
        self.pred, self.true = [], []

    def add(self, pred, true):
        self.pred.append(pred.cpu())
        self.true.append(true.cpu())

    def matrix(self):
        pred = torch.cat(self.pred).numpy()
        true = torch.cat(self.true).numpy()
        flat = np.bincount(true * self.k + pred, minlength=self.k ** 2)
        return flat.reshape(self.k, self.k)


def train(model, loader, device, epochs):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    ce = nn.CrossEntropyLoss()
    model.train()
    for _ in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            ce(model(x.to(device)), y.to(device)).backward()
            opt.step()


@torch.inference_mode()
def test(model, loader, device, k):
    model.eval()
    meter = ConfusionMeter(k)
    for x, y in loader:
        logits = model(x.to(device))
        meter.add(logits.argmax(dim=1), y.to(device))
    cm = meter.matrix()
    recall = np.diag(cm) / np.maximum(cm.sum(axis=1), 1)
    return cm, recall


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    k = 3
    model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, k)).to(device)
    train(model, DataLoader(Blobs(120, k, 0), batch_size=20, shuffle=True), device, epochs=2)
    cm, recall = test(model, DataLoader(Blobs(60, k, 1), batch_size=20), device, k)
    print(cm)
    print("recall", recall.round(3))


if __name__ == "__main__":
    main()
