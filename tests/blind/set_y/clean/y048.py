import torch
from torch import nn

CLIP, N_CRITIC = 0.05, 3


class Critic(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x).mean()

    @torch.no_grad()
    def clip_weights(self, c):
        for p in self.parameters():
            p.clamp_(-c, c)


def generator(z=4, dim=6):
    return nn.Sequential(nn.Linear(z, 32), nn.ReLU(), nn.Linear(32, dim))


def set_requires_grad(net, flag):
    for p in net.parameters():
        p.requires_grad = flag


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
G, D = generator().to(device), Critic().to(device)
opt_g = torch.optim.RMSprop(G.parameters(), lr=5e-4)
opt_d = torch.optim.RMSprop(D.parameters(), lr=5e-4)
one = torch.tensor(1.0, device=device)
mone = one * -1

for it in range(4):
    set_requires_grad(D, True)
    for _ in range(N_CRITIC):
        D.zero_grad()
        real = torch.randn(32, 6, device=device) + 2
        with torch.no_grad():
            fake = G(torch.randn(32, 4, device=device))
        score_real = D(real)
        score_real.backward(mone)
        score_fake = D(fake)
        score_fake.backward(one)
        opt_d.step()
        D.clip_weights(CLIP)
    set_requires_grad(D, False)
    G.zero_grad()
    score_gen = D(G(torch.randn(32, 4, device=device)))
    score_gen.backward(mone)
    opt_g.step()
    print(it, (score_real - score_fake).item(), score_gen.item())
