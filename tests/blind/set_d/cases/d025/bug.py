import torch
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Clips(Dataset):
    def __init__(self, n=8):
        self.clips = torch.rand(n, 2, 5)

    def __len__(self):
        return len(self.clips)

    def __getitem__(self, i):
        return self.clips[i].to(device), i % 2


def main():
    loader = DataLoader(Clips(), batch_size=4, num_workers=2)
    net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(10, 2)).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
