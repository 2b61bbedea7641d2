import torch
from torch import nn, autograd


class G(nn.Sequential):
    def __init__(self, z, d):
        super().__init__(nn.Linear(z, 16), nn.ReLU(True), nn.Linear(16, d))


class D(nn.Sequential):
    def __init__(self, d):
        super().__init__(nn.Linear(d, 16), nn.Softplus(), nn.Linear(16, 1))


def penalty(critic, real, fake, weight=10.0):
    a = torch.rand(len(real), 1, device=real.device)
    mid = (a * real + (1 - a) * fake).detach().requires_grad_(True)
    out = critic(mid)
    (grad,) = autograd.grad(out, mid, torch.ones_like(out), create_graph=True, retain_graph=True)
    return weight * (grad.norm(2, dim=1) - 1).pow(2).mean()


def toggle(module, flag):
    for p in module.parameters():
        p.requires_grad = flag


def train(rounds, n_critic, device):
    g, d = G(4, 2).to(device), D(2).to(device)
    og = torch.optim.RMSprop(g.parameters(), lr=5e-5)
    od = torch.optim.RMSprop(d.parameters(), lr=5e-5)
    one = torch.tensor(1.0, device=device)
    for _ in range(rounds):
        toggle(d, True)
        for _ in range(n_critic):
            od.zero_grad()
            real = torch.randn(8, 2, device=device) + 2
            d_real = d(real).mean()
            d_real.backward(-one)
            fake = g(torch.randn(8, 4, device=device)).detach()
            d_fake = d(fake).mean()
            d_fake.backward(one)
            gp = penalty(d, real, fake)
            gp.backward()
            od.step()
        toggle(d, False)
        og.zero_grad()
        score = d(g(torch.randn(8, 4, device=device))).mean()
        score.backward(-one)
        og.step()
        print((d_fake - d_real + gp).item(), score.item())


if __name__ == "__main__":
    train(2, 2, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
