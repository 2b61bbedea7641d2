import torch
from torch import nn

from style import StyleLoss


def tv(img):
    return (img[..., 1:, :] - img[..., :-1, :]).abs().mean() + (img[..., 1:] - img[..., :-1]).abs().mean()


def run(steps=3):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    encoder = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2), nn.Conv2d(8, 12, 3, padding=1), nn.ReLU())
    style_loss = StyleLoss(encoder, torch.rand(1, 3, 16, 16))
    content = torch.rand(1, 3, 16, 16).to(device)
    img = content.clone().requires_grad_(True)
    opt = torch.optim.LBFGS([img], max_iter=4)
    losses = []

    for _ in range(steps):
        with torch.no_grad():
            img.clamp_(0, 1)

        def closure():
            opt.zero_grad()
            loss = 100 * style_loss(img) + nn.functional.mse_loss(img, content) + 0.01 * tv(img)
            loss.backward()
            losses.append(loss.item())
            return loss

        opt.step(closure)
    with torch.no_grad():
        img.clamp_(0, 1)
    return img.detach().cpu(), losses


if __name__ == "__main__":
    image, losses = run()
    print(image.shape, losses[0], losses[-1])
