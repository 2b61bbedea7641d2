import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from losses import PerceptualLoss


class Patches(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, i):
        hr = torch.rand(3, 16, 16)
        return nn.functional.avg_pool2d(hr, 2), hr


def espcn(scale=2):
    return nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.Tanh(), nn.Conv2d(16, 3 * scale ** 2, 3, padding=1), nn.PixelShuffle(scale))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = espcn().to(device)
    pixel = nn.L1Loss().to(device)
    perceptual = PerceptualLoss()
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for lr_img, hr_img in DataLoader(Patches(), batch_size=4):
        lr_img, hr_img = lr_img.to(device), hr_img.to(device)
        sr = net(lr_img)
        loss = pixel(sr, hr_img) + 0.1 * perceptual(sr, hr_img)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(loss.item())


if __name__ == "__main__":
    main()
