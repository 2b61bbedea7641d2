import torch
import torch.nn as nn
from torch.utils.data import DataLoader

from pipeline.dataset import Clips
from pipeline.prefetch import Prefetcher
from pipeline.transforms import Compose, hflip, standardize


class ClipNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.frame = nn.Sequential(nn.Flatten(2), nn.Linear(64, 16), nn.ReLU())
        self.time = nn.GRU(16, 16, batch_first=True)
        self.out = nn.Linear(16, 3)

    def forward(self, clip):
        return self.out(self.time(self.frame(clip))[0][:, -1])


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net, loss_fn = ClipNet().to(device), nn.CrossEntropyLoss()
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    loader = DataLoader(Clips(transform=Compose(hflip, standardize)), batch_size=4, shuffle=True,
                        num_workers=1, pin_memory=device.type == "cuda")
    for epoch in range(2):
        total = torch.zeros((), device=device)
        for clip, label in Prefetcher(loader, device):
            loss = loss_fn(net(clip), label)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.detach()
        print(epoch, (total / len(loader)).item())


if __name__ == "__main__":
    main()
