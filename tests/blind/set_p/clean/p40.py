import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Spectra(Dataset):
    def __init__(self, count, bins, device=None):
        self.raw = torch.randn(count, bins).cumsum(dim=1)
        self.device = device

    def __len__(self):
        return len(self.raw)

    def __getitem__(self, i):
        x = self.raw[i]
        x = (x - x.mean()) / (x.std() + 1e-6)
        return x, x.argmax()

    def whole(self):
        """Everything at once, for evaluation; called from the main process only."""
        xs, ys = zip(*(self[i] for i in range(len(self))))
        xs, ys = torch.stack(xs), torch.stack(ys)
        return (xs, ys) if self.device is None else (xs.to(self.device), ys.to(self.device))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train = Spectra(48, 10)
    test = Spectra(16, 10, device=device)

    def place(samples):
        xs, ys = zip(*samples)
        return torch.stack(xs).to(device), torch.stack(ys).to(device)

    loader = DataLoader(train, batch_size=12, shuffle=True, num_workers=0, collate_fn=place)
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 10)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(3):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
    model.eval()
    x, y = test.whole()
    with torch.no_grad():
        print("acc", (model(x).argmax(1) == y).float().mean().item())


if __name__ == "__main__":
    main()
