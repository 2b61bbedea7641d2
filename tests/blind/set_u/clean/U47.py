import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def mlp(i, o, h=32):
    return nn.Sequential(nn.Linear(i, h), nn.Tanh(), nn.Linear(h, o))


def gradient_penalty(critic, real, fake):
    eps = torch.rand(real.size(0), 1, device=real.device)
    mix = (eps * real + (1 - eps) * fake).detach()
    mix.requires_grad = True
    score = critic(mix)
    (grad,) = torch.autograd.grad(score, mix, torch.ones_like(score), create_graph=True)
    return (grad.norm(dim=1) - 1).square().mean()


class Uncertainty(nn.Module):
    def __init__(self, start):
        super().__init__()
        self.log_var = nn.Parameter(torch.tensor(start))

    def forward(self, *losses):
        losses = torch.stack(losses)
        return (losses * torch.exp(-self.log_var) + self.log_var).sum()


gen, critic = mlp(4, 2).to(device), mlp(2, 1).to(device)
combine = Uncertainty([0.0, 0.0]).to(device)
opt_g = torch.optim.Adam([*gen.parameters(), *combine.parameters()], lr=1e-3)
opt_c = torch.optim.Adam(critic.parameters(), lr=1e-3)
history = []
for it in range(4):
    real = torch.randn(32, 2, device=device) * 0.5 + 1
    z = torch.randn(32, 4, device=device)
    fake = gen(z)
    loss_c = critic(fake.detach()).mean() - critic(real).mean() + 10 * gradient_penalty(critic, real, fake)
    opt_c.zero_grad()
    loss_c.backward()
    opt_c.step()

    moment = (fake.mean(0) - real.mean(0)).square().sum()
    loss_g = combine(-critic(fake).mean(), moment)
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
    history.append(torch.tensor([loss_c.item(), loss_g.item()]))

# physics residual on collocation points that are leaves of their own
net = mlp(1, 1).to(device)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(3):
    t = torch.rand(20, 1, device=device)
    t.requires_grad = True
    u = net(t)
    (du,) = torch.autograd.grad(u.sum(), t, create_graph=True)
    loss = (du + u).square().mean() + (net(torch.zeros(1, 1, device=device)) - 1).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(torch.stack(history), loss.item())
