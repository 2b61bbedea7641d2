import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Tower(nn.Module):
    def __init__(self, d, out=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, 32), nn.GELU(), nn.Linear(32, out))

    def forward(self, x):
        return F.normalize(self.net(x), dim=-1)


class CLIP(nn.Module):
    def __init__(self):
        super().__init__()
        self.image, self.text = Tower(12), Tower(8)
        self.logit_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))

    def forward(self, img, txt):
        return self.image(img), self.text(txt), self.logit_scale.exp()


def contrastive(i, t, scale):
    logits = scale * i @ t.t()
    target = torch.arange(len(logits), device=logits.device)
    return 0.5 * (F.cross_entropy(logits, target) + F.cross_entropy(logits.t(), target))


class GradCache:
    """Full batch contrastive gradient with chunk sized memory: embed, take the gradient of the
    embeddings, then push it through every chunk again."""

    def __init__(self, model, chunk):
        self.model, self.chunk = model, chunk

    def step(self, img, txt):
        imgs, txts = img.split(self.chunk), txt.split(self.chunk)
        with torch.no_grad():
            i = torch.cat([self.model.image(c) for c in imgs])
            t = torch.cat([self.model.text(c) for c in txts])
        i.requires_grad_()
        t.requires_grad_()
        loss = contrastive(i, t, self.model.logit_scale.exp())
        loss.backward()
        for net, chunks, leaf in ((self.model.image, imgs, i), (self.model.text, txts, t)):
            for c, g in zip(chunks, leaf.grad.split(self.chunk)):
                (net(c) * g).sum().backward()
        return loss.detach()


def zero_shot(model, img, prompts):
    with torch.inference_mode():
        protos = model.text(prompts)
        return (model.image(img) @ protos.T).argmax(-1)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = CLIP().to(device)
    cache = GradCache(model, 12)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    wi, wt = torch.randn(5, 12), torch.randn(5, 8)
    for it in range(10):
        y = torch.randint(5, (40,))
        img, txt = wi[y] + 0.2 * torch.randn(40, 12), wt[y] + 0.2 * torch.randn(40, 8)
        opt.zero_grad()
        loss = cache.step(img.to(device), txt.to(device))
        opt.step()
        with torch.no_grad():
            model.logit_scale.clamp_(0, math.log(100))
    pred = zero_shot(model, wi.to(device), wt.to(device))
    print(loss.item(), (pred.cpu() == torch.arange(5)).float().mean().item())


if __name__ == "__main__":
    main()
