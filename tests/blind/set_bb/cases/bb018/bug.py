import torch
import torch.nn as nn
import torch.nn.functional as F


def gram(f):
    b, c, h, w = f.shape
    f = f.reshape(b, c, h * w)
    return f @ f.transpose(1, 2) / (c * h * w)


class Features(nn.Module):
    """A stand-in for VGG: returns a dict of named activations."""

    def __init__(self, taps=("r1", "r2")):
        super().__init__()
        self.r1 = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU())
        self.r2 = nn.Sequential(nn.AvgPool2d(2), nn.Conv2d(8, 12, 3, padding=1), nn.ReLU())
        self.taps = taps
        self.requires_grad_(False)

    def forward(self, x):
        out = {}
        for t in self.taps:
            x = getattr(self, t)(x)
            out[t] = x
        return out


class StyleTransfer:
    def __init__(self, content, style, device):
        self.device = device
        self.net = Features().to(device).eval()
        with torch.no_grad():
            self.content = self.net(content.to(device))["r2"]
            self.style = {k: gram(v) for k, v in self.net(style.to(device)).items()}
        self.canvas = content.clone().to(device).requires_grad_(True)
        self.opt = torch.optim.Adam([self.canvas], lr=0.03)
        self.losses = []

    def content_loss(self, acts):
        return F.mse_loss(acts["r2"], self.content)

    def style_loss(self, acts):
        return sum(F.mse_loss(gram(acts[k]), g) for k, g in self.style.items())

    def tv(self):
        c = self.canvas
        return (c[..., 1:] - c[..., :-1]).abs().mean() + (c[..., 1:, :] - c[..., :-1, :]).abs().mean()

    def step(self):
        acts = self.net(self.canvas)
        loss = self.content_loss(acts) + 1e3 * self.style_loss(acts) + 0.1 * self.tv()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.losses.append(loss.item())

    def project(self):
        self.canvas.clamp_(0.0, 1.0)

    def run(self, n, every=2):
        for i in range(n):
            self.step()
            if i % every == every - 1:
                self.project()
        return self.canvas.detach().cpu()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    st = StyleTransfer(torch.rand(1, 3, 16, 16), torch.rand(1, 3, 16, 16), device)
    img = st.run(6)
    print(img.min().item(), img.max().item(), st.losses[-1])


main()
