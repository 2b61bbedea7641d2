import torch
import torch.nn.functional as F

from supernet import SuperNet

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Architect:
    def __init__(self, net, xi):
        self.net, self.xi = net, xi
        self.opt = torch.optim.Adam(net.arch_parameters(), lr=3e-2, betas=(0.5, 0.999))

    def loss(self, batch):
        return F.cross_entropy(self.net(batch[0]), batch[1])

    def step(self, train, val):
        """Second order update of the architecture through one virtual weight step."""
        w, a = self.net.weight_parameters(), self.net.arch_parameters()
        g = torch.autograd.grad(self.loss(train), w)
        saved = [p.detach().clone() for p in w]
        with torch.no_grad():
            for p, gi in zip(w, g):
                p -= self.xi * gi
        grads = torch.autograd.grad(self.loss(val), a + w)
        da, dw = grads[:len(a)], grads[len(a):]
        eps = 0.01 / torch.cat([d.flatten() for d in dw]).norm()
        sides = []
        for sign in (1, -1):
            with torch.no_grad():
                for p, s, d in zip(w, saved, dw):
                    p.copy_(s + sign * eps * d)
            sides.append(torch.autograd.grad(self.loss(train), a))
        with torch.no_grad():
            for p, s in zip(w, saved):
                p.copy_(s)
        for p, d, up, down in zip(a, da, *sides):
            p.grad = d - self.xi * (up - down) / (2 * eps)
        self.opt.step()


def main():
    x = torch.randn(96, 8)
    y = (x.pow(2).sum(1) > 8).long()
    x, y = x.to(device), y.to(device)
    net = SuperNet(8, 2).to(device)
    w_opt = torch.optim.SGD(net.weight_parameters(), lr=0.05, momentum=0.9)
    architect = Architect(net, xi=0.05)
    for it in range(8):
        i, j = torch.randperm(96)[:64].split(32)
        architect.step((x[i], y[i]), (x[j], y[j]))
        loss = F.cross_entropy(net(x[i]), y[i])
        w_opt.zero_grad()
        loss.backward()
        w_opt.step()
    print(loss.item(), net.genotype())


if __name__ == "__main__":
    main()
