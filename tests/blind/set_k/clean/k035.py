import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Patches(Dataset):
    """Random crops of one large picture that is kept where `device` says."""

    def __init__(self, picture, size, count, device="cpu"):
        self.picture = picture.to(device)
        self.size, self.count, self.device = size, count, torch.device(device)

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        h, w = self.picture.shape[-2:]
        y, x = (i * 7) % (h - self.size), (i * 13) % (w - self.size)
        crop = self.picture[:, y:y + self.size, x:x + self.size]
        noise = torch.randn(crop.shape, device=self.device)
        return crop + 0.1 * noise, crop


def make_loader(dataset, batch, shuffle):
    # crops of a resident picture are served by the main process
    workers = 2 if dataset.device.type == "cpu" and dataset.count > 1000 else 0
    return DataLoader(dataset, batch, shuffle=shuffle, num_workers=workers)


class Denoise(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1))

    def forward(self, x):
        return x - self.net(x)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    picture = torch.rand(1, 64, 64)
    train = make_loader(Patches(picture, 16, 64, device), 16, shuffle=True)
    held = make_loader(Patches(picture.flip(-1), 16, 32), 16, shuffle=False)
    model = Denoise().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(2):
        model.train()
        for noisy, clean in train:
            optimizer.zero_grad()
            loss = F.mse_loss(model(noisy), clean)
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.inference_mode():
            err = [F.mse_loss(model(n.to(device)), c.to(device)).item() for n, c in held]
        print(epoch, sum(err) / len(err))


if __name__ == "__main__":
    main()
