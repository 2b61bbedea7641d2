import copy

import torch
from torch import nn


def build(dim=8):
    return nn.Sequential(nn.Linear(dim, 32), nn.Tanh(), nn.Linear(32, dim))


def make_optimizer(model, name, **kw):
    table = {"adagrad": torch.optim.Adagrad, "adam": torch.optim.Adam, "sgd": torch.optim.SGD}
    return table[name](model.parameters(), **kw)


def masked_mse(pred, target, mask):
    return ((pred - target) ** 2 * mask).sum() / mask.sum().clamp(min=1)


def run(model, opt, data, device, epochs=2):
    for _ in range(epochs):
        for series, observed in data:
            series, observed = series.to(device), observed.to(device)
            loss = masked_mse(model(series * observed), series, 1 - observed)
            opt.zero_grad()
            loss.backward()
            opt.step()
    return loss.item()


def data(n=4):
    return [(torch.randn(16, 8), (torch.rand(16, 8) > 0.3).float()) for _ in range(n)]


def main():
    # phase one stays on the host
    model = build()
    opt = make_optimizer(model, "adagrad", lr=1e-2)
    print("warm up", run(model, opt, data(), "cpu", epochs=1))
    snapshot = copy.deepcopy(opt.state_dict())

    # phase two: a fresh optimizer over the moved weights takes the old state along
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = model.to(device)
    opt = make_optimizer(model, "adagrad", lr=1e-2)
    opt.load_state_dict(snapshot)
    print("main", run(model, opt, data(), device))


if __name__ == "__main__":
    main()
