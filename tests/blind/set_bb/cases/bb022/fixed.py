import torch
import torch.nn as nn
import torch.nn.functional as F


def block(i, o):
    return nn.Sequential(nn.Linear(i, 32), nn.ReLU(), nn.Linear(32, o))


class ImagePool:
    def __init__(self, size):
        self.size, self.images = size, []

    def query(self, batch):
        out = []
        for img in batch:
            if len(self.images) < self.size:
                self.images.append(img)
                out.append(img)
            else:
                k = int(torch.randint(0, self.size, (1,)))
                out.append(self.images[k])
                self.images[k] = img
        return torch.stack(out)


class CycleGAN:
    def __init__(self, dim, device):
        self.device = device
        self.nets = nn.ModuleDict({k: block(dim, dim) for k in ("G_ab", "G_ba")})
        self.nets.update({k: block(dim, 1) for k in ("D_a", "D_b")})
        self.nets.to(device)
        g = [p for k in ("G_ab", "G_ba") for p in self.nets[k].parameters()]
        d = [p for k in ("D_a", "D_b") for p in self.nets[k].parameters()]
        self.opt_g, self.opt_d = torch.optim.Adam(g, 1e-3), torch.optim.Adam(d, 1e-3)
        self.pools = {"a": ImagePool(50), "b": ImagePool(50)}

    def set_input(self, pair):
        self.real = {k: v.to(self.device) for k, v in pair.items()}

    def forward(self):
        n = self.nets
        self.fake = {"b": n["G_ab"](self.real["a"]), "a": n["G_ba"](self.real["b"])}
        self.back = {"a": n["G_ba"](self.fake["b"]), "b": n["G_ab"](self.fake["a"])}

    def gan(self, score, real):
        return F.mse_loss(score, torch.ones_like(score) if real else torch.zeros_like(score))

    def backward_g(self):
        loss = sum(self.gan(self.nets["D_" + k](self.fake[k]), True) for k in "ab")
        loss = loss + 10 * sum(F.l1_loss(self.back[k], self.real[k]) for k in "ab")
        loss.backward()
        return loss.item()

    def backward_d(self, k):
        net = self.nets["D_" + k]
        fake = self.pools[k].query(self.fake[k].detach())
        loss = 0.5 * (self.gan(net(self.real[k]), True) + self.gan(net(fake), False))
        loss.backward()
        return loss.item()

    def toggle(self, flag):
        for k in ("D_a", "D_b"):
            self.nets[k].requires_grad_(flag)

    def optimize(self):
        self.forward()
        self.toggle(False)
        self.opt_g.zero_grad()
        g = self.backward_g()
        self.opt_g.step()
        self.toggle(True)
        self.opt_d.zero_grad()
        d = [self.backward_d(k) for k in "ab"]
        self.opt_d.step()
        return g, d


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
gan = CycleGAN(6, device)
for it in range(4):
    gan.set_input({"a": torch.randn(8, 6), "b": 2 + torch.randn(8, 6)})
    print(it, gan.optimize())
