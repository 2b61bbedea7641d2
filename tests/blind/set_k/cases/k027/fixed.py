import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.weights = None

    def forward(self, x):
        b, n, d = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        att = (q @ k.transpose(-2, -1) / (d // self.heads) ** 0.5).softmax(-1)
        self.weights = att
        return self.proj((att @ v).transpose(1, 2).reshape(b, n, d))


class Classifier(nn.Module):
    def __init__(self, dim=16, depth=2, classes=3):
        super().__init__()
        self.layers = nn.ModuleList(Attention(dim, 4) for _ in range(depth))
        self.head = nn.Linear(dim, classes)

    @property
    def attention_maps(self):
        return [layer.weights for layer in self.layers]

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return self.head(x.mean(1))


def rollout(model):
    """Mean-head attention multiplied through the layers."""
    maps = [w.mean(1).detach().cpu().numpy() for w in model.attention_maps]
    joint = np.eye(maps[0].shape[-1])[None]
    for m in maps:
        m = m + np.eye(m.shape[-1])
        joint = (m / m.sum(-1, keepdims=True)) @ joint
    return joint


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Classifier().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for step in range(6):
        x = torch.randn(8, 5, 16, device=device)
        y = x.mean((1, 2)).gt(0).long()
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 3 == 2:
            flow = rollout(model)
            print(step, f"{loss.item():.3f}", "entropy", float(-(flow * np.log(flow + 1e-9)).sum(-1).mean()))


if __name__ == "__main__":
    main()
