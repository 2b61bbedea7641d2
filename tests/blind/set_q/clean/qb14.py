import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class ConfusionMatrix:
    def __init__(self, n):
        self.n = n
        self.mat = None

    def update(self, target, pred):
        if self.mat is None:
            self.mat = torch.zeros((self.n, self.n), dtype=torch.int64, device=target.device)
        with torch.no_grad():
            k = (target >= 0) & (target < self.n)
            inds = self.n * target[k].to(torch.int64) + pred[k]
            self.mat += torch.bincount(inds, minlength=self.n ** 2).reshape(self.n, self.n)

    def reset(self):
        if self.mat is not None:
            self.mat.zero_()

    def compute(self):
        h = self.mat.float()
        iou = torch.diag(h) / (h.sum(1) + h.sum(0) - torch.diag(h)).clamp(min=1)
        return (torch.diag(h).sum() / h.sum()).item(), iou.cpu().numpy()


class DiceCELoss(nn.Module):
    def __init__(self, weight, ignore=255):
        super().__init__()
        self.ignore = ignore
        self.ce = nn.CrossEntropyLoss(weight=weight, ignore_index=ignore)

    def forward(self, logits, target):
        valid = target != self.ignore
        safe = target.masked_fill(~valid, 0)
        onehot = torch.zeros_like(logits).scatter_(1, safe.unsqueeze(1), 1.0) * valid.unsqueeze(1)
        prob = logits.softmax(1) * valid.unsqueeze(1)
        dims = (0, 2, 3)
        dice = (2 * (prob * onehot).sum(dims) + 1) / (prob.sum(dims) + onehot.sum(dims) + 1)
        return self.ce(logits, target) + 1 - dice.mean()


class UNet(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.d1 = nn.Conv2d(3, 8, 3, padding=1)
        self.d2 = nn.Conv2d(8, 16, 3, stride=2, padding=1)
        self.u1 = nn.Conv2d(24, n, 3, padding=1)

    def forward(self, x):
        a = F.relu(self.d1(x), inplace=True)
        b = F.relu(self.d2(a), inplace=True)
        b = F.interpolate(b, size=a.shape[-2:], mode="bilinear", align_corners=False)
        return self.u1(torch.cat([a, b], 1))


def main(n=3):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    rng = np.random.default_rng(0)
    images = torch.from_numpy(rng.random((8, 3, 17, 17), dtype=np.float32))
    masks = torch.from_numpy(rng.integers(0, n, (8, 17, 17)))
    masks[:, 0] = 255
    freq = torch.bincount(masks[masks < n], minlength=n).float()
    model = UNet(n).to(device)
    criterion = DiceCELoss(freq.sum() / (n * freq)).to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
    confmat = ConfusionMatrix(n)
    for epoch in range(3):
        model.train()
        for i in range(0, 8, 4):
            x, y = images[i:i + 4].to(device), masks[i:i + 4].to(device)
            opt.zero_grad()
            criterion(model(x), y).backward()
            opt.step()
        model.eval()
        confmat.reset()
        with torch.no_grad():
            for x, y in zip(images.split(4), masks.split(4)):
                confmat.update(y.to(device).flatten(), model(x.to(device)).argmax(1).flatten())
        print(epoch, *confmat.compute())


main()
