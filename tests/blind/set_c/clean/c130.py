import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Spectra(Dataset):
    def __init__(self, n, seed=0):
        rng = np.random.default_rng(seed)
        self.x = rng.normal(size=(n, 12)).astype(np.float32)
        self.y = (self.x[:, :3].sum(1) > 0).astype(np.int64)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return torch.from_numpy(self.x[i]), int(self.y[i])


def class_weights(loader, classes):
    counts = np.zeros(classes)
    for _, y in loader:
        counts += np.bincount(y.numpy(), minlength=classes)
    return torch.tensor(counts.sum() / (classes * counts), dtype=torch.float32)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(Spectra(32), batch_size=8, shuffle=True)
    weights = class_weights(loader, 2).to(device)
    model = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
    loss_fn = nn.CrossEntropyLoss(weight=weights)
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        loss = loss_fn(model(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        probs = torch.cat([model(x.to(device)).softmax(-1).cpu() for x, _ in loader]).numpy()
    print(np.round(probs.mean(0), 3), float(np.log(probs + 1e-9).mean()))


if __name__ == "__main__":
    main()
