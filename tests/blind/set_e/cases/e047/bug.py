import torch
from torch import nn


def clip_by_norm(params, max_norm):
    return nn.utils.clip_grad_norm_(params, max_norm)


def main(steps=10, max_norm=0.01):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
    params = (p for p in model.parameters() if p.requires_grad)
    optimizer = torch.optim.Adam(params, lr=1e-3)
    unbounded = False
    for _ in range(steps):
        x = torch.randn(16, 6, device=device) * 10
        loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        clip_by_norm(params, max_norm)
        total = torch.stack([p.grad.norm() for p in model.parameters()]).norm()
        unbounded |= total.item() > 2 * max_norm
        optimizer.step()
    return unbounded


if __name__ == "__main__":
    print(main())
