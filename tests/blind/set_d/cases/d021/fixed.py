import torch
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Cached(Dataset):
    def __init__(self, n):
        self.data = torch.randn(n, 3)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return self.data[i]


def run():
    loader = DataLoader(Cached(16), batch_size=4, pin_memory=torch.cuda.is_available())
    return sum(batch.to(device, non_blocking=True).sum().item() for batch in loader)


if __name__ == "__main__":
    print(run())
