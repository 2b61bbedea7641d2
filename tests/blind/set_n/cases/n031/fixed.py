import argparse
import torch
from torch import nn


def mlp(*dims):
    mods = []
    for a, b in zip(dims, dims[1:]):
        mods += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*mods[:-1])


class Critic(nn.Module):
    def __init__(self, d, clip):
        super().__init__()
        self.body, self.clip = mlp(d, 32, 32, 1), clip

    def forward(self, x):
        return self.body(x)

    def project(self):
        with torch.no_grad():
            for p in self.body.parameters():
                p.clamp_(-self.clip, self.clip)


def critic_update(critic, gen, opt, real, z):
    with torch.no_grad():
        fake = gen(z)
    loss = critic(fake).mean() - critic(real).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    critic.project()
    return -loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--critic-iters", type=int, default=5)
    parser.add_argument("--iters", type=int, default=3)
    parser.add_argument("--clip", type=float, default=0.01)
    args = parser.parse_args()
    args.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    gen, critic = mlp(4, 16, 2).to(args.device), Critic(2, args.clip).to(args.device)
    opt_c = torch.optim.RMSprop(critic.parameters(), lr=5e-5)
    opt_g = torch.optim.RMSprop(gen.parameters(), lr=5e-5)
    for it in range(args.iters):
        for _ in range(args.critic_iters):
            real = torch.randn(16, 2, device=args.device) + 3
            w = critic_update(critic, gen, opt_c, real, torch.randn(16, 4, device=args.device))
        loss = -critic(gen(torch.randn(16, 4, device=args.device))).mean()
        opt_g.zero_grad()
        loss.backward()
        opt_g.step()
        print(it, w, loss.item())


main()
