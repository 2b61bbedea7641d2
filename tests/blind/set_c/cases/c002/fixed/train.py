import torch
from torch.utils.data import DataLoader, TensorDataset

from diffusion import GaussianDiffusion
from unet import TinyUNet


def run(steps=4):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    images = TensorDataset(torch.rand(16, 1, 8, 8) * 2 - 1)
    loader = DataLoader(images, batch_size=4, shuffle=True)
    net = TinyUNet().to(device)
    diffusion = GaussianDiffusion(device=device)
    optim = torch.optim.Adam(net.parameters(), lr=2e-4)
    for step, (x0,) in enumerate(loader):
        loss = diffusion.loss(net, x0.to(device))
        optim.zero_grad()
        loss.backward()
        optim.step()
        if step % 2 == 0:
            print(step, loss.item())


if __name__ == "__main__":
    run()
