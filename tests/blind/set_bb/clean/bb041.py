import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(4)


class Normalization(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean).view(-1, 1, 1))
        self.register_buffer("std", torch.tensor(std).view(-1, 1, 1))

    def forward(self, img):
        return (img - self.mean) / self.std


class ContentLoss(nn.Module):
    def __init__(self, target):
        super().__init__()
        self.register_buffer("target", target.detach(), persistent=False)

    def forward(self, x):
        self.loss = F.mse_loss(x, self.target)
        return x


class StyleLoss(nn.Module):
    def __init__(self, target):
        super().__init__()
        self.register_buffer("target", self.gram(target).detach(), persistent=False)

    @staticmethod
    def gram(x):
        f = x.flatten(2)
        return f @ f.transpose(1, 2) / f[0].numel()

    def forward(self, x):
        self.loss = F.mse_loss(self.gram(x), self.target)
        return x


def assemble(cnn, content, style):
    model = nn.Sequential(Normalization([0.48, 0.45, 0.40], [0.22, 0.22, 0.22])).to(device)
    losses = {"c": [], "s": []}
    for i, layer in enumerate(cnn):
        model.append(nn.ReLU(inplace=False) if isinstance(layer, nn.ReLU) else layer)
        if isinstance(layer, nn.Conv2d):
            with torch.no_grad():
                c, s = model(content), model(style)
            for kind, cls, t in (("c", ContentLoss, c), ("s", StyleLoss, s)):
                probe = cls(t)
                model.append(probe)
                losses[kind].append(probe)
    return model.eval().requires_grad_(False), losses


def stylize(cnn, content, style, steps=3):
    image = content.clone().requires_grad_(True)
    model, losses = assemble(cnn, content, style)
    opt = torch.optim.LBFGS([image], max_iter=4)
    for _ in range(steps):
        def closure():
            with torch.no_grad():
                image.clamp_(0, 1)
            opt.zero_grad()
            model(image)
            total = sum(l.loss for l in losses["c"]) + 1e4 * sum(l.loss for l in losses["s"])
            total.backward()
            return total

        opt.step(closure)
    with torch.no_grad():
        image.clamp_(0, 1)
    return image.detach()


cnn = nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), nn.ReLU(inplace=True), nn.Conv2d(6, 8, 3, padding=1), nn.ReLU(inplace=True)).to(device)
content, style = (torch.rand(1, 3, 12, 12, device=device) for _ in range(2))
out = stylize(cnn, content, style)
print(out.cpu().numpy().shape, out.mean().item())
