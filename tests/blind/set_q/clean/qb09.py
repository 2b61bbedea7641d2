import torch
import torch.nn as nn
import torch.nn.functional as F


class Features(nn.Module):
    def __init__(self, taps=(0, 2)):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(),
                                    nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2))
        self.taps = taps

    def forward(self, x):
        out = []
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i in self.taps:
                out.append(x)
        return out


def gram(f):
    b, c, h, w = f.shape
    f = f.reshape(b, c, h * w)
    return f @ f.transpose(1, 2) / (c * h * w)


def total_variation(img):
    return (img[..., 1:, :] - img[..., :-1, :]).abs().mean() + (img[..., 1:] - img[..., :-1]).abs().mean()


def transfer(content, style, device, steps=5):
    vgg = Features().to(device).eval().requires_grad_(False)
    mean = torch.tensor([0.48, 0.45, 0.40], device=device).view(1, 3, 1, 1)
    content, style = content.to(device), style.to(device)
    with torch.no_grad():
        content_targets = vgg(content - mean)
        style_targets = [gram(f) for f in vgg(style - mean)]
    image = content.clone().requires_grad_(True)
    optimizer = torch.optim.LBFGS([image], max_iter=4)
    history = []

    def closure():
        with torch.no_grad():
            image.clamp_(0, 1)
        optimizer.zero_grad()
        feats = vgg(image - mean)
        c = F.mse_loss(feats[-1], content_targets[-1])
        s = sum(F.mse_loss(gram(f), t) for f, t in zip(feats, style_targets))
        loss = c + 1e3 * s + 1e-2 * total_variation(image)
        loss.backward()
        history.append(loss.detach())
        return loss

    for _ in range(steps):
        optimizer.step(closure)
    with torch.no_grad():
        image.clamp_(0, 1)
    return image.detach().squeeze(0).permute(1, 2, 0).cpu().numpy(), torch.stack(history).cpu()


if __name__ == "__main__":
    dev = "cuda" if torch.cuda.is_available() else "cpu"
    out, hist = transfer(torch.rand(1, 3, 16, 16), torch.rand(1, 3, 16, 16), dev)
    print(out.shape, (out * 255).astype("uint8").mean(), hist[-1])
