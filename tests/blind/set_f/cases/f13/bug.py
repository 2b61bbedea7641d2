import torch
import torch.nn as nn
import torch.nn.functional as F


class FeatureNet(nn.Module):
    """Frozen features for a perceptual distance."""

    def __init__(self, taps=(1, 3)):
        super().__init__()
        self.stack = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, 2, 1), nn.ReLU())
        self.taps = set(taps)
        for p in self.parameters():
            p.requires_grad_(False)

    def forward(self, x):
        feats = []
        for i, layer in enumerate(self.stack):
            x = layer(x)
            if i in self.taps:
                feats.append(x)
        return feats


class PerceptualLoss(nn.Module):
    def __init__(self, weight=0.1):
        super().__init__()
        self.net = FeatureNet().eval()
        self.weight = weight

    def forward(self, pred, target):
        pix = F.l1_loss(pred, target)
        feat = sum(F.mse_loss(a, b) for a, b in zip(self.net(pred), self.net(target)))
        return pix + self.weight * feat


class Upscaler(nn.Module):
    def __init__(self, c=12, factor=2):
        super().__init__()
        self.a = nn.Conv2d(3, c, 3, padding=1)
        self.b = nn.Conv2d(c, 3 * factor * factor, 3, padding=1)
        self.shuffle = nn.PixelShuffle(factor)

    def forward(self, x):
        return self.shuffle(self.b(F.gelu(self.a(x))))


class SRTrainer:
    def __init__(self, model, device, lr=1e-3):
        self.device = device
        self.model = model.to(device)
        self.loss_fn = PerceptualLoss()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)

    def fit(self, hi_res_batches):
        history = []
        for hi in hi_res_batches:
            hi = hi.to(self.device)
            lo = F.avg_pool2d(hi, 2)
            loss = self.loss_fn(self.model(lo), hi)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            history.append(loss.item())
        return history


if __name__ == "__main__":
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    trainer = SRTrainer(Upscaler(), dev)
    print(trainer.fit([torch.rand(2, 3, 16, 16) for _ in range(2)]))
