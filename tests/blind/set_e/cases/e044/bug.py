import torch
from torch import nn


class Injected(nn.Module):
    def __init__(self, d=4, h=8, classes=3):
        super().__init__()
        self.low, self.high = nn.Linear(d, h), nn.Linear(h, classes)

    def features(self, x):
        return torch.relu(self.low(x))

    def forward(self, x, mask=None):
        h = self.features(x)
        return self.high(h if mask is None else h * mask)


def drop_salient(model, x, y, frac=0.25):
    """Masks the features with the largest gradient (representation self-challenging)."""
    h = model.features(x)
    score = nn.functional.cross_entropy(model.high(h), y)
    score.backward()
    saliency = h.grad.abs().mean(0)
    k = max(1, int(frac * saliency.numel()))
    mask = torch.ones_like(saliency)
    mask[saliency.topk(k).indices] = 0
    return mask


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Injected().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        x, y = torch.randn(8, 4, device=device), torch.randint(0, 3, (8,), device=device)
        mask = drop_salient(model, x, y)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x, mask), y)
        loss.backward()
        optimizer.step()
        print(loss.item())


if __name__ == "__main__":
    main()
