import torch
import torch.nn as nn
import torch.nn.functional as F


class PyramidNet(nn.Module):
    def __init__(self, levels=3, ch=6, classes=2):
        super().__init__()
        self.stem = nn.Conv2d(1, ch, 3, padding=1)
        self.downs = nn.ModuleList(nn.Conv2d(ch, ch, 2, stride=2) for _ in range(levels))
        self.heads = nn.ModuleList(nn.Conv2d(ch, classes, 1) for _ in range(levels))

    def forward(self, x):
        outputs = []
        h = F.relu(self.stem(x))
        for down, head in zip(self.downs, self.heads):
            h = F.relu(down(h))
            outputs.append(head(h))
        return outputs


class PyramidLoss:
    def __init__(self, weights=(1.0, 0.5, 0.25)):
        self.weights = weights

    def __call__(self, outputs, target):
        loss, parts = 0.0, []
        for w, out in zip(self.weights, outputs):
            small = F.interpolate(target[:, None].float(), size=out.shape[-2:]).squeeze(1).long()
            part = F.cross_entropy(out, small)
            loss += w * part
            parts.append(part.item())
        return loss, parts


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, criterion = PyramidNet().to(device), PyramidLoss()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    history = []
    for step in range(3):
        x = torch.randn(4, 1, 16, 16, device=device)
        loss, parts = criterion(model(x), (x[:, 0] > 0).long())
        opt.zero_grad()
        loss.backward()
        opt.step()
        history.append(parts)
        print(step, loss.item())
    print([sum(col) / len(col) for col in zip(*history)])


if __name__ == "__main__":
    main()
