import torch
from torch import nn
import torch.nn.functional as F


class MultiScale(nn.Module):
    def __init__(self, c=4, scales=3):
        super().__init__()
        self.stages = nn.ModuleList(nn.Conv2d(1 if i == 0 else c, c, 3, padding=1) for i in range(scales))
        self.heads = nn.ModuleList(nn.Conv2d(c, 1, 1) for _ in range(scales))

    def forward(self, x):
        outs = []
        for stage, head in zip(self.stages, self.heads):
            x = F.relu(stage(x))
            outs.append(head(x))
            x = F.max_pool2d(x, 2)
        return outs


def pyramid_loss(outs, target, weights=(1.0, 0.5, 0.25)):
    total = 0.0
    terms = []
    for w, out in zip(weights, outs):
        t = F.interpolate(target, size=out.shape[-2:])
        term = F.l1_loss(out, t)
        total += w * term
        terms.append(term)
    return total, [t.item() for t in terms]


def fit(model, batches, accumulate=2):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    epoch_loss = 0.0
    opt.zero_grad()
    for i, (x, y) in enumerate(batches):
        loss, terms = pyramid_loss(model(x), y)
        (loss / accumulate).backward()
        if (i + 1) % accumulate == 0:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            opt.zero_grad()
        epoch_loss += float(loss.detach())
        print(i, terms)
    return epoch_loss


if __name__ == "__main__":
    print(fit(MultiScale(), [(torch.rand(2, 1, 16, 16), torch.rand(2, 1, 16, 16)) for _ in range(4)]))
