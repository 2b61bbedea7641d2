import argparse

import torch
from torch import nn

from schedule import DDPMSchedule


class Denoiser(nn.Module):
    def __init__(self, width=8, time_dim=16):
        super().__init__()
        self.time = nn.Embedding(1000, time_dim)
        self.inp = nn.Conv2d(3, width, 3, padding=1)
        self.film = nn.Linear(time_dim, width)
        self.out = nn.Conv2d(width, 3, 3, padding=1)

    def forward(self, x, t):
        h = torch.relu(self.inp(x)) + self.film(self.time(t))[..., None, None]
        return self.out(torch.relu(h))


@torch.no_grad()
def sample(model, schedule, shape, generator, device):
    x = torch.randn(shape, generator=generator, device=device)
    for t in reversed(range(len(schedule))):
        steps = torch.full((shape[0],), t, device=device)
        noise = torch.randn(shape, generator=generator, device=device)
        x = schedule.reverse(x, model(x, steps), t, noise)
    return x.clamp(-1, 1).add(1).div(2)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--num", type=int, default=2)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    opts = parser.parse_args()

    generator = torch.Generator()
    if opts.seed is not None:
        generator.manual_seed(opts.seed)
    model = Denoiser().to(opts.device).eval()
    schedule = DDPMSchedule(opts.steps, device=opts.device)
    images = sample(model, schedule, (opts.num, 3, 8, 8), generator, opts.device)
    grid = (images.permute(0, 2, 3, 1) * 255).byte().cpu().numpy()
    print(grid.shape, grid.dtype, int(grid.max()))


if __name__ == "__main__":
    main()
