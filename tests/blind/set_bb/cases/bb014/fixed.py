import itertools
import torch
import torch.nn as nn
import torch.nn.functional as F


class BiGAN:
    """Encoder and generator against one joint discriminator."""

    def __init__(self, x_dim=10, z_dim=4, lr=1e-3):
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.z_dim = z_dim
        self.enc = self._mlp(x_dim, z_dim)
        self.gen = self._mlp(z_dim, x_dim)
        self.dis = self._mlp(x_dim + z_dim, 1)
        self.opt_d = torch.optim.Adam(self.dis.parameters(), lr=lr)
        self.opt_eg = torch.optim.Adam(itertools.chain(self.enc.parameters(), self.gen.parameters()), lr=lr)
        self.log = []

    def _mlp(self, i, o):
        return nn.Sequential(nn.Linear(i, 24), nn.LeakyReLU(0.2), nn.Linear(24, 24), nn.LeakyReLU(0.2), nn.Linear(24, o)).to(self.device)

    def pairs(self, x):
        z = torch.randn(x.size(0), self.z_dim, device=self.device)
        self.real_pair = torch.cat([x, self.enc(x)], 1)
        self.fake_pair = torch.cat([self.gen(z), z], 1)

    def score(self, detach=False):
        pairs = (self.real_pair, self.fake_pair)
        return [self.dis(p.detach() if detach else p) for p in pairs]

    def losses(self):
        s_real, s_fake = self.score(detach=True)
        d = F.softplus(-s_real).mean() + F.softplus(s_fake).mean()
        s_real, s_fake = self.score()
        eg = F.softplus(s_real).mean() + F.softplus(-s_fake).mean()
        return {"d": d, "eg": eg}

    def optimise(self, losses):
        self.opt_d.zero_grad()
        losses["d"].backward()
        self.opt_d.step()
        losses.update(eg=self.losses()["eg"])
        self.opt_eg.zero_grad()
        losses["eg"].backward()
        self.opt_eg.step()

    def step(self, x):
        self.pairs(x.to(self.device))
        losses = self.losses()
        self.optimise(losses)
        self.log.append({k: v.item() for k, v in losses.items()})


def data(n_batches, bs=32):
    basis = torch.randn(3, 10)
    for _ in range(n_batches):
        yield torch.randn(bs, 3) @ basis


model = BiGAN()
for x in data(5):
    model.step(x)
print(model.log[-1])
