import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Series(Dataset):
    """Stays on the host: workers may read it."""

    def __init__(self, n=24, length=10):
        self.data = torch.randn(n, length).cumsum(1)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return self.data[i, :-1], self.data[i, -1:]


class Prefetcher:
    """Host to device copies from pinned memory may overlap with the computation."""

    def __init__(self, loader, device):
        self.loader, self.device = loader, device

    def __len__(self):
        return len(self.loader)

    def __iter__(self):
        for x, y in self.loader:
            yield x.to(self.device, non_blocking=True), y.to(self.device, non_blocking=True)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(Series(), batch_size=6, shuffle=True, pin_memory=device.type == "cuda")
    batches = Prefetcher(loader, device)
    model = nn.Sequential(nn.Linear(9, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(2):
        model.train()
        for x, y in batches:
            loss = nn.functional.l1_loss(model(x), y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
        model.eval()
        with torch.inference_mode():
            residuals = torch.cat([(model(x) - y).abs() for x, y in batches])
        print(epoch, residuals.cpu().numpy().mean())


if __name__ == "__main__":
    main()
