import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def gram(feats):
    b, c, h, w = feats.shape
    flat = feats.reshape(b, c, h * w)
    return flat @ flat.transpose(1, 2) / (c * h * w)


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([
            nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), nn.ReLU()),
            nn.Sequential(nn.AvgPool2d(2), nn.Conv2d(6, 8, 3, padding=1), nn.ReLU()),
        ])

    def forward(self, x):
        outs = []
        for block in self.blocks:
            x = block(x)
            outs.append(x)
        return outs


def style_transfer(net, content, style, steps=4, style_weight=1e3, tv_weight=1e-2):
    with torch.no_grad():
        content_target = net(content)[-1]
        style_targets = [gram(f) for f in net(style)]
    image = content.clone().requires_grad_(True)
    optimizer = torch.optim.Adam([image], lr=0.05)
    for step in range(steps):
        feats = net(image)
        c_loss = F.mse_loss(feats[-1], content_target)
        s_loss = sum(F.mse_loss(gram(f), t) for f, t in zip(feats, style_targets))
        tv = (image[..., 1:] - image[..., :-1]).abs().mean() + (image[..., 1:, :] - image[..., :-1, :]).abs().mean()
        loss = c_loss + style_weight * s_loss + tv_weight * tv
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            image.clamp_(0, 1)
        print(step, loss.item())
    return image.detach()


net = Features().to(device).eval().requires_grad_(False)
content, style = torch.rand(2, 1, 3, 12, 12, device=device)
result = style_transfer(net, content, style)
print((result - content).abs().mean().item())
