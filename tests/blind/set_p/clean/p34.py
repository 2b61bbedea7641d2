import numpy as np
import torch
import torch.nn as nn


class Table:
    """Rows of a csv-like file; .data holds a plain ndarray."""

    def __init__(self, rows, cols):
        rng = np.random.default_rng(2)
        self.data = rng.normal(size=(rows, cols)).astype(np.float32)

    def standardize(self):
        self.data -= self.data.mean(axis=0)
        self.data /= self.data.std(axis=0) + 1e-6
        return self


class TableDataset(torch.utils.data.Dataset):
    def __init__(self, table):
        self.data = torch.from_numpy(table.data)
        self.data.clamp_(-3, 3)

    def __len__(self):
        return self.data.shape[0]

    def __getitem__(self, i):
        row = self.data[i]
        return row[:-1], row[-1:]


def project_to_ball(linear, radius):
    with torch.no_grad():
        norms = linear.weight.norm(dim=1, keepdim=True)
        linear.weight.mul_((radius / norms.clamp(min=1e-8)).clamp(max=1.0))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    dataset = TableDataset(Table(80, 6).standardize())
    loader = torch.utils.data.DataLoader(dataset, batch_size=20, shuffle=True)
    model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(3):
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
            project_to_ball(model[0], 2.0)
        print(epoch, loss.item())
    spread = loader.dataset.data.std(dim=0)
    print(spread.tolist())


if __name__ == "__main__":
    main()
