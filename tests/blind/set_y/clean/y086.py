import torch
import torch.nn.functional as F
from torch import nn


def pgd(model, x, y, eps=0.1, alpha=0.03, steps=4):
    delta = torch.empty_like(x).uniform_(-eps, eps).requires_grad_(True)
    for _ in range(steps):
        loss = F.cross_entropy(model(x + delta), y)
        grad, = torch.autograd.grad(loss, delta)
        with torch.no_grad():
            delta += alpha * grad.sign()
            delta.clamp_(-eps, eps)
    return (x + delta).detach()


def project_latent(generator, target, n_latent=6, steps=6):
    device = target.device
    z = torch.randn(target.size(0), n_latent).to(device).requires_grad_(True)
    noise_scale = torch.tensor(0.05)
    opt = torch.optim.Adam([z], lr=0.1)
    for _ in range(steps):
        loss = F.mse_loss(generator(z + noise_scale * torch.randn_like(z)), target)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return z.detach(), loss.item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    clf = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Linear(24, 3)).to(device)
    gen = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 10)).to(device)
    opt = torch.optim.SGD(clf.parameters(), lr=0.1)
    for step in range(3):
        x = torch.randn(20, 10).to(device)
        y = x[:, :3].argmax(1)
        clf.eval()
        x_adv = pgd(clf, x, y)
        clf.train()
        loss = 0.5 * (F.cross_entropy(clf(x), y) + F.cross_entropy(clf(x_adv), y))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())
    gen.requires_grad_(False)
    z, err = project_latent(gen, torch.randn(4, 10, device=device))
    print(z.shape, err)


if __name__ == "__main__":
    main()
