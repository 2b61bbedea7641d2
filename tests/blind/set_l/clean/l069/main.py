import torch
import torch.nn as nn

from byol import BYOL


def augment(x):
    x = x * (0.8 + 0.4 * torch.rand(len(x), 1, device=x.device))
    return x + 0.1 * torch.randn_like(x)


def main(steps=6):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    encoder = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 8))
    model = BYOL(encoder, 8).to(device)
    opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
    for step in range(steps):
        model.set_progress(step / steps)
        x = torch.randn(32, 10, device=device)
        loss = model(augment(x), augment(x))
        opt.zero_grad()
        loss.backward()
        opt.step()
        model.update_target()
        print(step, loss.item())


if __name__ == "__main__":
    main()
