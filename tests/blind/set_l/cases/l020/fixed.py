import torch
import torch.nn as nn
import torch.nn.functional as F


class StyleTransfer:
    def __init__(self, features, device, style_weight=10.0):
        self.device = device
        self.features = features.to(device).eval()
        for p in self.features.parameters():
            p.requires_grad_(False)
        self.style_weight = style_weight

    @staticmethod
    def gram(f):
        b, c, h, w = f.shape
        f = f.reshape(b, c, h * w)
        return f @ f.transpose(1, 2) / (c * h * w)

    def extract(self, img):
        outs = []
        for layer in self.features:
            img = layer(img)
            if isinstance(layer, nn.ReLU):
                outs.append(img)
        return outs

    def init_canvas(self, content, noise=0.3):
        canvas = content + noise * torch.randn(content.shape)
        return canvas.to(self.device).requires_grad_(True)

    def run(self, content, style, steps=4):
        with torch.no_grad():
            target_c = self.extract(content.to(self.device))[-1]
            target_s = [self.gram(f) for f in self.extract(style.to(self.device))]
        canvas = self.init_canvas(content)
        opt = torch.optim.Adam([canvas], lr=0.05)
        for _ in range(steps):
            feats = self.extract(canvas)
            loss = F.mse_loss(feats[-1], target_c)
            loss = loss + self.style_weight * sum(F.mse_loss(self.gram(f), g) for f, g in zip(feats, target_s))
            opt.zero_grad()
            loss.backward()
            opt.step()
        return canvas.detach().clamp(-1, 1).cpu()


if __name__ == "__main__":
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    vgg_like = nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), nn.ReLU(), nn.Conv2d(6, 6, 3, padding=1), nn.ReLU())
    out = StyleTransfer(vgg_like, device).run(torch.rand(1, 3, 12, 12), torch.rand(1, 3, 12, 12))
    print(out.shape)
