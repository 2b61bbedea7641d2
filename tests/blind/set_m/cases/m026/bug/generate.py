import argparse
import torch
from gan import load_generator


@torch.no_grad()
def sample(generator, n, seed=None):
    if seed is not None:
        torch.manual_seed(seed)
    z = torch.randn(n, generator.z_dim, device=generator.device)
    return generator(z)


def interpolate(generator, a, b, steps=5):
    w = torch.linspace(0, 1, steps, device=a.device).unsqueeze(1)
    with torch.no_grad():
        return generator((1 - w) * a + w * b)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--n", type=int, default=16)
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    g = load_generator(device=device)
    images = sample(g, args.n, args.seed)
    za, zb = torch.randn(2, g.z_dim, device=device)
    path = interpolate(g, za, zb)
    print(images.mean().item(), path.shape)


if __name__ == "__main__":
    main()
