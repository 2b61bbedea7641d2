import torch
from model import SimCLR, nt_xent


def describe(name, params):
    n = sum(p.numel() for p in params)
    print(f"{name}: {n / 1e3:.1f}k trainable weights")


def build_optimizer(params, lr=1e-3, wd=1e-4):
    return torch.optim.AdamW(params, lr=lr, weight_decay=wd)


def augment(x):
    return x + 0.1 * torch.randn_like(x)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = SimCLR().to(device)
    weights = net.trainable()
    describe("simclr", weights)
    opt = build_optimizer(weights)
    for step in range(3):
        x = torch.randn(16, 32, device=device)
        loss = nt_xent(net(augment(x)), net(augment(x)))
        opt.zero_grad()
        loss.backward()
        opt.step()
