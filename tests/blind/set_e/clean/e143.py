import torch
from torch import nn


class Diffuser(nn.Module):
    def __init__(self, d=4, steps=6):
        super().__init__()
        beta = torch.linspace(1e-4, 0.2, steps)
        alpha_bar = (1 - beta).cumprod(0)
        for name, value in {"beta": beta, "alpha_bar": alpha_bar, "sqrt_ab": alpha_bar.sqrt()}.items():
            self.register_buffer(name, value)
        self.steps, self.d = steps, d
        self.net = nn.Sequential(nn.Linear(d + 1, 16), nn.SiLU(), nn.Linear(16, d))

    def eps(self, x, t):
        return self.net(torch.cat([x, t.float().unsqueeze(1) / self.steps], 1))

    def loss(self, x):
        t = torch.randint(self.steps, (len(x),)).to(x.device)
        noise = torch.randn_like(x)
        noisy = self.sqrt_ab[t].unsqueeze(1) * x + (1 - self.alpha_bar[t]).sqrt().unsqueeze(1) * noise
        return (self.eps(noisy, t) - noise).pow(2).mean()

    @torch.no_grad()
    def sample(self, n, guide=None):
        x = torch.randn(n, self.d, device=self.beta.device)
        for i in range(self.steps - 1, -1, -1):
            t = torch.full((n,), i, device=x.device)
            eps = self.eps(x, t)
            if guide is not None:
                with torch.enable_grad():
                    probe = x.detach().requires_grad_(True)
                    (g,) = torch.autograd.grad(guide(probe).sum(), probe)
                eps = eps - (1 - self.alpha_bar[i]).sqrt() * g
            x = (x - self.beta[i] / (1 - self.alpha_bar[i]).sqrt() * eps) / (1 - self.beta[i]).sqrt()
            if i:
                x = x + self.beta[i].sqrt() * torch.randn_like(x)
        return x


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Diffuser().to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(2):
        loss = model.loss(torch.randn(8, 4, device=device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    classifier = nn.Linear(4, 2).to(device)
    guided = model.sample(3, guide=lambda x: classifier(x).log_softmax(-1)[:, 1])
    print(loss.item(), guided.cpu().numpy().shape)


if __name__ == "__main__":
    main()
