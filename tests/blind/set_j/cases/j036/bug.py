import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def gram(f):
    b, c, h, w = f.shape
    f = f.reshape(b, c, h * w)
    return f @ f.transpose(1, 2) / (c * h * w)


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.stages = nn.ModuleList(
            nn.Sequential(nn.Conv2d(i, o, 3, stride=s, padding=1), nn.ReLU()) for i, o, s in [(3, 8, 1), (8, 16, 2), (16, 16, 2)]
        )
        self.requires_grad_(False)

    def forward(self, x):
        out = []
        for s in self.stages:
            x = s(x)
            out.append(x)
        return out


def total_variation(x):
    return (x[..., 1:] - x[..., :-1]).abs().mean() + (x[..., 1:, :] - x[..., :-1, :]).abs().mean()


def transfer(net, content, style, steps=5, style_weight=1e3, tv_weight=1e-2):
    with torch.no_grad():
        target_content = net(content)[-1]
        target_style = [gram(f) for f in net(style)]
    image = content.clone().requires_grad_(True)
    optimizer = torch.optim.Adam([image], lr=0.05)
    for _ in range(steps):
        feats = net(image)
        loss = F.mse_loss(feats[-1], target_content) + tv_weight * total_variation(image)
        loss = loss + style_weight * sum(F.mse_loss(gram(f), t) for f, t in zip(feats, target_style))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        image.clamp_(0, 1)
    return image.detach()


if __name__ == "__main__":
    net = Features().to(device).eval()
    a, b = torch.rand(2, 1, 3, 16, 16, device=device)
    result = transfer(net, a, b)
    print((result - a).abs().mean().item())
