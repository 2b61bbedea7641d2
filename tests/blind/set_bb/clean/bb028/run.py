import torch
import torch.nn.functional as F
from nets import D, G

CFG = dict(z=8, dim=12, cls=3, bs=16, iters=5)


class ACGAN:
    def __init__(self, cfg, device):
        self.cfg, self.device = cfg, device
        self.g = G(cfg["z"], cfg["dim"], cfg["cls"]).to(device)
        self.d = D(cfg["dim"], cfg["cls"]).to(device)
        self.opt_g = torch.optim.Adam(self.g.parameters(), 2e-4, betas=(0.5, 0.999))
        self.opt_d = torch.optim.Adam(self.d.parameters(), 2e-4, betas=(0.5, 0.999))

    def adv(self, score, real):
        target = torch.full_like(score, 0.9 if real else 0.0)
        return F.binary_cross_entropy_with_logits(score, target)

    def step_d(self, x, y, fake):
        self.opt_d.zero_grad()
        s_r, c_r = self.d(x)
        s_f, _ = self.d(fake.detach())
        loss = self.adv(s_r, True) + self.adv(s_f, False) + F.cross_entropy(c_r, y)
        loss.backward()
        self.opt_d.step()
        return loss.detach()

    def step_g(self, fake, y):
        self.opt_g.zero_grad()
        self.d.requires_grad_(False)
        s, c = self.d(fake)
        loss = self.adv(s, True) + F.cross_entropy(c, y)
        loss.backward()
        self.opt_g.step()
        self.d.requires_grad_(True)
        return loss.detach()

    def train(self):
        logs = {"d": [], "g": []}
        for _ in range(self.cfg["iters"]):
            x = torch.randn(self.cfg["bs"], self.cfg["dim"]).to(self.device)
            y = torch.randint(0, self.cfg["cls"], (self.cfg["bs"],)).to(self.device)
            fake = self.g(self.g.sample_z(len(y)), y)
            logs["d"].append(self.step_d(x, y, fake))
            logs["g"].append(self.step_g(fake, y))
        return {k: torch.stack(v).mean().item() for k, v in logs.items()}


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
gan = ACGAN(CFG, device)
print(gan.train())
gan.g.eval()
with torch.no_grad():
    y = torch.arange(3, device=device)
    print(gan.g(gan.g.sample_z(3), y).cpu().numpy().shape)
