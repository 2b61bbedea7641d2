import torch
from noise import NoiseSource
from velocity import Velocity


def train(model, device, steps=5):
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for _ in range(steps):
        x1 = torch.randn(64, 2, device=device) * 0.1 + 1
        loss = model.loss(x1)
        opt.zero_grad()
        loss.backward()
        opt.step()


@torch.no_grad()
def euler(model, x, n=8):
    for i in range(n):
        t = torch.full((1, 1), i / n, device=x.device)
        x = x + model(x, t) / n
    return x


def main(seed=7):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = Velocity().to(device)
    train(model, device)
    source = NoiseSource(seed, device)
    print(euler(model, source.draw(16, 2)).mean(0))


if __name__ == "__main__":
    main()
