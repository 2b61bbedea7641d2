import torch
import torch.nn as nn

from losses import build, total


def circles(n, size=16):
    grid = torch.linspace(-1, 1, size)
    yy, xx = torch.meshgrid(grid, grid, indexing="ij")
    r = torch.rand(n, 1, 1) * 0.6 + 0.2
    mask = ((xx ** 2 + yy ** 2).sqrt()[None] < r).float()[:, None]
    return mask + 0.3 * torch.randn_like(mask), mask


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1)).to(device)
    terms = build({"dice": 1.0, "bce": 0.5, "weighted_bce": 0.1})
    for _, term in terms:
        if isinstance(term, nn.Module):
            term.to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for step in range(6):
        image, mask = (t.to(device) for t in circles(8))
        loss = total(terms, net(image), mask)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, f"{loss.item():.4f}")


if __name__ == "__main__":
    main()
