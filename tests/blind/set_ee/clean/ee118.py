import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.stages = nn.ModuleList([
            nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU()),
            nn.Sequential(nn.AvgPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU()),
            nn.Sequential(nn.AvgPool2d(2), nn.Conv2d(16, 16, 3, padding=1), nn.ReLU()),
        ])
        self.register_buffer("mean", torch.tensor([0.48, 0.45, 0.40]).view(3, 1, 1))
        self.register_buffer("std", torch.tensor([0.22, 0.22, 0.22]).view(3, 1, 1))
        for p in self.parameters():
            p.requires_grad_(False)

    def forward(self, img):
        x = (img - self.mean) / self.std
        maps = []
        for stage in self.stages:
            x = stage(x)
            maps.append(x)
        return maps


def gram(x):
    b, c, h, w = x.shape
    f = x.view(b, c, h * w)
    return f @ f.transpose(1, 2) / (c * h * w)


def total_variation(img):
    return (img[..., 1:, :] - img[..., :-1, :]).abs().mean() + (img[..., 1:] - img[..., :-1]).abs().mean()


class StyleTransfer:
    def __init__(self, content, style, net):
        self.net = net
        with torch.no_grad():
            self.content_target = [m.clone() for m in net(content)][-1]
            self.style_targets = [gram(m) for m in net(style)]

    def objective(self, img):
        maps = self.net(img)
        content = F.mse_loss(maps[-1], self.content_target)
        style = sum(F.mse_loss(gram(m), t) for m, t in zip(maps, self.style_targets))
        return content + 1e3 * style + 0.1 * total_variation(img)

    def run(self, init, steps, lr=0.02):
        img = init.clone().to(device).requires_grad_(True)
        optimizer = torch.optim.Adam([img], lr=lr)
        best, best_img = float("inf"), None
        for _ in range(steps):
            optimizer.zero_grad()
            loss = self.objective(img)
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                img.clamp_(0, 1)
            if loss.item() < best:
                best, best_img = loss.item(), img.detach().clone()
        return best_img, best


if __name__ == "__main__":
    torch.manual_seed(0)
    net = Features().to(device).eval()
    content = torch.rand(1, 3, 24, 24, device=device)
    style = torch.rand(1, 3, 24, 24, device=device)
    out, score = StyleTransfer(content, style, net).run(content, steps=8)
    array = (out.squeeze(0).permute(1, 2, 0).cpu().numpy() * 255).astype("uint8")
    print(array.shape, array.dtype, round(score, 4))
