import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def kmeans(points: np.ndarray, k: int, iters: int = 10, seed: int = 0):
    rng = np.random.default_rng(seed)
    centers = points[rng.choice(len(points), k, replace=False)]
    for _ in range(iters):
        dist = ((points[:, None] - centers[None]) ** 2).sum(-1)
        assign = dist.argmin(1)
        for j in range(k):
            if np.any(assign == j):
                centers[j] = points[assign == j].mean(0)
    return centers, assign


class Encoder(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(d_in, 24), nn.ELU(), nn.Linear(24, d_out))

    def forward(self, x):
        return F.normalize(self.layers(x), dim=1)


@torch.no_grad()
def embed_all(model, array, device, chunk=64):
    model.eval()
    out = np.empty((len(array), 4), dtype=np.float32)
    for start in range(0, len(array), chunk):
        x = torch.from_numpy(array[start:start + chunk]).to(device)
        out[start:start + chunk] = model(x).cpu().numpy()
    model.train()
    return out


def deep_cluster(array, k=3, rounds=3, steps=15):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Encoder(array.shape[1], 4).to(device)
    head = nn.Linear(4, k).to(device)
    opt = torch.optim.Adam([*model.parameters(), *head.parameters()], lr=1e-2)
    data = torch.as_tensor(array, device=device)
    trace = []
    for r in range(rounds):
        _, assign = kmeans(embed_all(model, array, device), k, seed=r)
        labels = torch.as_tensor(assign, device=device)
        for _ in range(steps):
            perm = torch.randperm(len(array))[:32]
            loss = F.cross_entropy(head(model(data[perm])), labels[perm])
            opt.zero_grad()
            loss.backward()
            opt.step()
            trace.append(loss.item())
        sizes = np.bincount(assign, minlength=k)
        print(f"round {r}: loss {np.mean(trace[-steps:]):.3f} sizes {sizes.tolist()}")
    weights = head.weight.detach().cpu().numpy()
    norms = np.linalg.norm(weights, axis=1)
    scale = math.sqrt(head.bias.pow(2).sum().item())
    return norms, scale, np.array(trace)


def main():
    rng = np.random.default_rng(4)
    blobs = np.concatenate([rng.normal(m, 0.3, size=(50, 6)) for m in (-1, 0, 1)]).astype(np.float32)
    norms, scale, trace = deep_cluster(blobs)
    print(norms.round(3), round(scale, 4), trace.shape)


if __name__ == "__main__":
    main()
