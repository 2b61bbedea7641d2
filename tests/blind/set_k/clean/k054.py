"""Feature visualisation: pictures optimised to excite single channels."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 5, padding=2)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)

    def forward(self, x):
        return self.conv2(F.relu(self.conv1(x)))


def spectrum(size, device, scale=0.01):
    half = size // 2 + 1
    coefficients = scale * torch.randn(1, 3, size, half, 2)
    return coefficients.to(device).requires_grad_()


def pixels(size, device):
    return torch.full((1, 3, size, size), 0.5).to(device).requires_grad_(True)


def to_image(param, size):
    if param.dim() == 5:
        param = torch.fft.irfft2(torch.view_as_complex(param), s=(size, size), norm="ortho")
    return param.sigmoid()


STARTS = {"fft": spectrum, "pixel": pixels}


def visualise(net, channel, size=16, start="pixel", steps=8):
    device = next(net.parameters()).device
    leaf = STARTS[start](size, device)
    optimizer = torch.optim.Adam([leaf], lr=0.05)
    for _ in range(steps):
        picture = to_image(leaf, size)
        shift = torch.randint(-2, 3, (2,)).tolist()
        act = net(picture.roll(shift, dims=(2, 3)))[:, channel].mean()
        optimizer.zero_grad()
        (-act).backward()
        optimizer.step()
    return to_image(leaf, size).detach().cpu(), leaf.grad.norm().item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Net().to(device).eval().requires_grad_(False)
    for start in STARTS:
        pictures = {c: visualise(net, c, start=start) for c in (0, 3)}
        for c, (image, norm) in pictures.items():
            print(start, c, tuple(image.shape), f"{image.mean().item():.3f} {norm:.2e}")


if __name__ == "__main__":
    main()
