import numpy as np
import torch

from predictor import Predictor, build_net
from store import save_bundle


def fit(path, dim=12, classes=3):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = build_net(dim).to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    x = torch.randn(60, dim, device=device)
    y = torch.arange(60, device=device) % classes
    for _ in range(5):
        emb = net(x)
        cent = torch.stack([emb[y == c].mean(0) for c in range(classes)])
        loss = (emb - cent[y]).pow(2).sum(1).mean() - 0.1 * cent.var(0).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    save_bundle(path, net, cent.detach(), {"dim": dim, "labels": ["cat", "dog", "bird"]})


if __name__ == "__main__":
    fit("bundle.pt")
    service = Predictor("bundle.pt")
    print(service(np.random.randn(5, 12)))
