import torch
import torch.nn as nn
import torch.nn.functional as F


class DenseUnit(nn.Module):
    def __init__(self, cin, growth):
        super().__init__()
        self.conv = nn.Conv1d(cin, growth, 3, padding=1, bias=False)
        self.bias = nn.Parameter(torch.zeros(growth, 1))
        self.bn = nn.BatchNorm1d(growth)

    def forward(self, x):
        y = self.conv(x)
        y += self.bias
        return F.relu(self.bn(y), inplace=True)


class DenseStack(nn.Module):
    def __init__(self, cin, growth=4, depth=3):
        super().__init__()
        self.units = nn.ModuleList(DenseUnit(cin + i * growth, growth) for i in range(depth))
        self.out_channels = cin + depth * growth

    def forward(self, x):
        feats = [x]
        for unit in self.units:
            feats.append(unit(torch.cat(feats, 1)))
        return torch.cat(feats, 1)


class Segmenter1d(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.stack = DenseStack(2)
        self.head = nn.Conv1d(self.stack.out_channels, classes, 1)

    def forward(self, x, mask=None):
        logits = self.head(self.stack(x))
        if mask is not None:
            logits[:, 0].masked_fill_(~mask, 10.0)
        return logits


def dice(probs, onehot, eps=1.0):
    inter = (probs * onehot).sum(-1)
    return (1 - (2 * inter + eps) / (probs.sum(-1) + onehot.sum(-1) + eps)).mean()


net = Segmenter1d()
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
for step in range(4):
    x = torch.randn(4, 2, 24)
    lengths = torch.randint(12, 25, (4, 1))
    mask = torch.arange(24) < lengths
    y = torch.randint(0, 3, (4, 24)).masked_fill(~mask, 0)
    logits = net(x, mask)
    loss = F.cross_entropy(logits, y) + dice(logits.softmax(1), F.one_hot(y, 3).transpose(1, 2).float())
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())
