import torch
import torch.nn.functional as F

from router import MoE


def make_batch(n, dim, device):
    x = torch.randn(n, dim, device=device)
    return x, torch.roll(x, 1, dims=-1)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    layer = MoE(8).to(device)
    optimizer = torch.optim.AdamW(layer.parameters(), lr=3e-3)
    for step in range(6):
        x, y = make_batch(24, 8, device)
        out, balance = layer(x)
        loss = F.mse_loss(out, y) + 0.01 * balance
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 2 == 0:
            print(step, round(loss.item(), 4))


if __name__ == "__main__":
    main()
