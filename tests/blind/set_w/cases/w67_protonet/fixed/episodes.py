import torch
import torch.nn.functional as F
from metrics import compactness, prototypes, separation
from model import Embed


def episode(ways=3, shots=4, queries=5, d=16):
    means = torch.randn(ways, d) * 2
    draw = lambda k: (means[:, None] + torch.randn(ways, k, d)).flatten(0, 1)
    lab = lambda k: torch.arange(ways).repeat_interleave(k)
    return draw(shots), lab(shots), draw(queries), lab(queries)


def loss_on(net, ep, ways=3):
    sx, sy, qx, qy = ep
    s, q = net(sx), net(qx)
    p = prototypes(s, sy, ways)
    terms = {
        "ce": F.cross_entropy(-torch.cdist(q, p), qy),
        "compact": compactness(s, sy, p),
        "separate": separation(p),
    }
    weights = {"ce": 1.0, "compact": 0.05, "separate": 0.1}
    return sum(weights[k] * v for k, v in terms.items())


if __name__ == "__main__":
    net = Embed()
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for i in range(3):
        loss = loss_on(net, episode())
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(i, loss.item())
