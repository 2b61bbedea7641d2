import torch
import torch.nn as nn
import torch.nn.functional as F

OPS = {
    "skip": lambda c: nn.Identity(),
    "conv3": lambda c: nn.Conv1d(c, c, 3, padding=1),
    "conv5": lambda c: nn.Conv1d(c, c, 5, padding=2),
    "pool": lambda c: nn.AvgPool1d(3, 1, 1),
}


class MixedOp(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.ops = nn.ModuleList(make(channels) for make in OPS.values())

    def forward(self, x, weights):
        return sum(w * op(x) for w, op in zip(weights, self.ops))


class SuperNet(nn.Module):
    def __init__(self, channels=8, cells=3, classes=3):
        super().__init__()
        self.stem = nn.Conv1d(2, channels, 3, padding=1)
        self.cells = nn.ModuleList(MixedOp(channels) for _ in range(cells))
        self.alphas = nn.ParameterList(nn.Parameter(1e-3 * torch.randn(len(OPS))) for _ in range(cells))
        self.head = nn.Linear(channels, classes)

    def arch_parameters(self):
        return list(self.alphas)

    def weight_parameters(self):
        arch = {id(a) for a in self.alphas}
        return [p for p in self.parameters() if id(p) not in arch]

    def forward(self, x):
        h = self.stem(x)
        for cell, alpha in zip(self.cells, self.alphas):
            h = F.relu(cell(h, alpha.softmax(0)))
        return self.head(h.mean(-1))

    def genotype(self):
        names = list(OPS)
        return [names[a.argmax().item()] for a in self.alphas]


class Search:
    def __init__(self, net, device):
        self.net = net.to(device)
        self.device = device
        self.w_opt = torch.optim.SGD(net.weight_parameters(), lr=0.05, momentum=0.9)
        self.a_opt = torch.optim.Adam(net.arch_parameters(), lr=1e-2, weight_decay=1e-3)

    def batch(self, n=16):
        y = torch.randint(0, 3, (n,))
        x = torch.sin(torch.arange(20) * (y[:, None, None] + 1) * 0.4) + 0.2 * torch.randn(n, 2, 20)
        return x.to(self.device), y.to(self.device)

    def arch_step(self):
        x, y = self.batch()
        self.a_opt.zero_grad()
        F.cross_entropy(self.net(x), y).backward()
        self.a_opt.step()

    def weight_step(self):
        x, y = self.batch()
        self.w_opt.zero_grad()
        loss = F.cross_entropy(self.net(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.weight_parameters(), 5.0)
        self.w_opt.step()
        return loss.detach()

    def run(self, steps, warmup=2):
        trace = []
        for s in range(steps):
            if s >= warmup:
                self.arch_step()
            trace.append(self.weight_step())
        return torch.stack(trace).tolist()


if __name__ == "__main__":
    torch.manual_seed(0)
    search = Search(SuperNet(), "cuda" if torch.cuda.is_available() else "cpu")
    print(search.run(8))
    print(search.net.genotype())
