import torch
import torch.nn as nn
import torch.nn.functional as F


class CosineMargin(nn.Module):
    def __init__(self, dim, classes, s=16.0, m=0.3):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(classes, dim))
        nn.init.xavier_uniform_(self.weight)
        self.s, self.m = s, m

    def forward(self, feats, label):
        cos = F.linear(F.normalize(feats), F.normalize(self.weight))
        margin = torch.zeros_like(cos)
        margin.scatter_(1, label.view(-1, 1), self.m)
        return F.cross_entropy(self.s * (cos - margin), label)


class CenterLoss(nn.Module):
    def __init__(self, dim, classes, alpha=0.5):
        super().__init__()
        self.alpha = alpha
        self.register_buffer("centers", torch.zeros(classes, dim))

    def forward(self, feats, label):
        diff = feats - self.centers[label]
        if self.training:
            with torch.no_grad():
                count = torch.bincount(label, minlength=len(self.centers)).to(feats.dtype)
                delta = torch.zeros_like(self.centers).index_add_(0, label, diff)
                self.centers.add_(self.alpha * delta / (1 + count).unsqueeze(1))
        return 0.5 * diff.pow(2).sum(1).mean()


def hard_triplet(feats, label, margin=0.2):
    dist = torch.cdist(feats, feats)
    same = label[:, None] == label[None]
    with torch.no_grad():
        pos = dist.masked_fill(~same, float("-inf")).argmax(1, keepdim=True)
        neg = dist.masked_fill(same, float("inf")).argmin(1, keepdim=True)
    return F.relu(dist.gather(1, pos) - dist.gather(1, neg) + margin).mean()


class CrossBatchMemory:
    def __init__(self, size, dim, device):
        self.feats = torch.zeros(size, dim, device=device)
        self.labels = torch.full((size,), -1, device=device)
        self.i = 0

    def push(self, f, y):
        n = len(y)
        idx = (torch.arange(n) + self.i) % len(self.labels)
        self.feats[idx] = f.detach()
        self.labels[idx] = y
        self.i = int(idx[-1]) + 1

    def loss(self, f, y, t=0.1):
        used = self.labels >= 0
        if not used.any():
            return f.new_zeros(())
        logits = f @ self.feats[used].t() / t
        pos = y[:, None] == self.labels[used][None]
        logp = logits.log_softmax(1)
        return -(logp * pos).sum(1).div(pos.sum(1).clamp(min=1)).mean()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 8)).to(device)
    heads = nn.ModuleList([CosineMargin(8, 5), CenterLoss(8, 5)]).to(device)
    xbm = CrossBatchMemory(64, 8, device)
    opt = torch.optim.Adam([*net.parameters(), *heads.parameters()], lr=3e-3)
    means = torch.randn(5, 12)
    for step in range(12):
        y = torch.randint(5, (20,))
        x = (means[y] + 0.3 * torch.randn(20, 12)).to(device)
        y = y.to(device)
        f = net(x)
        unit = F.normalize(f)
        loss = sum(w * h(f, y) for w, h in zip((1.0, 0.01), heads)) + hard_triplet(unit, y) + 0.1 * xbm.loss(unit, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        xbm.push(unit, y)
    print(loss.item())
