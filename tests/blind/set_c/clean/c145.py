import torch
from torch import nn


def set_requires_grad(nets, flag):
    for net in nets if isinstance(nets, (list, tuple)) else [nets]:
        for p in net.parameters():
            p.requires_grad = flag


def cycle_gan_step(g_ab, g_ba, d_b, opt_g, opt_d, a, b, lam=10.0):
    l1, mse = nn.L1Loss(), nn.MSELoss()
    fake_b = g_ab(a)
    rec_a = g_ba(fake_b)

    set_requires_grad(d_b, False)
    opt_g.zero_grad()
    score = d_b(fake_b)
    loss_g = mse(score, torch.ones_like(score)) + lam * l1(rec_a, a) + 0.5 * lam * l1(g_ab(b), b)
    loss_g.backward()
    opt_g.step()

    set_requires_grad([d_b], True)
    opt_d.zero_grad()
    real_score, fake_score = d_b(b), d_b(fake_b.detach())
    loss_d = 0.5 * (mse(real_score, torch.ones_like(real_score)) + mse(fake_score, torch.zeros_like(fake_score)))
    loss_d.backward()
    opt_d.step()
    return {"g": loss_g.item(), "d": loss_d.item(), "image": fake_b.detach()[0].cpu()}


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    gen = lambda: nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.InstanceNorm2d(4), nn.ReLU(True), nn.Conv2d(4, 1, 3, padding=1))
    g_ab, g_ba = gen().to(device), gen().to(device)
    d_b = nn.Conv2d(1, 1, 4, 2).to(device)
    opt_g = torch.optim.Adam(list(g_ab.parameters()) + list(g_ba.parameters()), lr=2e-4)
    opt_d = torch.optim.Adam(d_b.parameters(), lr=2e-4)
    images = []
    for _ in range(2):
        out = cycle_gan_step(g_ab, g_ba, d_b, opt_g, opt_d, torch.rand(1, 1, 8, 8, device=device), torch.rand(1, 1, 8, 8, device=device))
        images.append(out["image"])
    print(torch.stack(images).numpy().shape, out["g"])
