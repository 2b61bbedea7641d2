import torch
import torch.nn as nn
import torch.nn.functional as F


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 8, 3, padding=1)
        self.b = nn.Conv2d(8, 16, 3, stride=2, padding=1)

    def forward(self, x):
        first = F.relu(self.a(x))
        return [first, F.relu(self.b(first))]


def gram(x):
    b, c, h, w = x.shape
    flat = x.reshape(b, c, h * w)
    return flat @ flat.transpose(1, 2) / (c * h * w)


def stylize(net, content, style, steps=8, weight=50.0, device="cpu"):
    with torch.no_grad():
        want_content = net(content)[-1]
        want_style = [gram(f) for f in net(style)]
    image = torch.rand(content.shape, device=device, requires_grad=True)
    optimizer = torch.optim.Adam([image], lr=0.05)
    for i in range(steps):
        feats = net(image)
        loss = F.mse_loss(feats[-1], want_content)
        for f, g in zip(feats, want_style):
            loss = loss + weight * F.mse_loss(gram(f), g)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            image.clamp_(0, 1)
        if i % 4 == 0:
            print(f"step {i} loss {loss.item():.4f}")
    return image.detach().cpu()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Features().to(device).eval()
    net.requires_grad_(False)
    content = torch.rand(1, 3, 16, 16).to(device)
    style = torch.rand(1, 3, 16, 16).to(device)
    result = stylize(net, content, style, device=device)
    print(result.shape, result.mean())
