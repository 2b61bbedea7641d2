import torch
import torch.nn as nn
import torch.nn.functional as F


class PanopticStats:
    """Running class-wise statistics of a segmentation model."""

    def __init__(self, names):
        self.names = list(names)
        self.reset()

    def reset(self):
        n = len(self.names)
        self.hist = torch.zeros(n, n, dtype=torch.long)
        self.conf = torch.zeros(n)

    def update(self, probs, target):
        n = len(self.names)
        value, pred = probs.max(dim=1)
        flat = (target * n + pred).flatten()
        self.hist += torch.bincount(flat, minlength=n * n).view(n, n)
        one_hot = F.one_hot(pred.flatten(), n).to(value.dtype)
        self.conf += value.flatten() @ one_hot

    @property
    def iou(self):
        hit = self.hist.diag().float()
        return hit / (self.hist.sum(0) + self.hist.sum(1) - hit).clamp(min=1)

    @property
    def mean_confidence(self):
        return self.conf / self.hist.sum(0).clamp(min=1)

    def __str__(self):
        rows = zip(self.names, self.iou.tolist(), self.mean_confidence.tolist())
        return "  ".join(f"{n}: {i:.2f}/{c:.2f}" for n, i, c in rows)


class ASPP(nn.Module):
    def __init__(self, c_in, c_out, rates=(1, 2, 4)):
        super().__init__()
        self.branches = nn.ModuleList(nn.Conv2d(c_in, c_out, 3, padding=r, dilation=r) for r in rates)
        self.merge = nn.Conv2d(c_out * len(rates), c_out, 1)

    def forward(self, x):
        return self.merge(torch.cat([F.relu(b(x)) for b in self.branches], 1))


class Runner:
    def __init__(self, names=("sky", "sea", "boat")):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = nn.Sequential(ASPP(3, 12), nn.Conv2d(12, len(names), 1)).to(self.device)
        self.stats = PanopticStats(names)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=3e-3)

    def scenes(self, n):
        for _ in range(n):
            label = torch.randint(0, 3, (2, 4, 4)).repeat_interleave(4, 1).repeat_interleave(4, 2)
            image = F.one_hot(label, 3).permute(0, 3, 1, 2).float() + 0.5 * torch.randn(2, 3, 16, 16)
            yield image.to(self.device), label.to(self.device)

    def train(self, n):
        self.model.train()
        for image, label in self.scenes(n):
            loss = F.cross_entropy(self.model(image), label)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    @torch.no_grad()
    def evaluate(self, n):
        self.model.eval()
        self.stats.reset()
        for image, label in self.scenes(n):
            self.stats.update(self.model(image).softmax(1), label)
        return str(self.stats)


if __name__ == "__main__":
    torch.manual_seed(0)
    runner = Runner()
    for epoch in range(2):
        runner.train(4)
        print(runner.evaluate(2))
