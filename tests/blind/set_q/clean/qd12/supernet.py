import torch
import torch.nn as nn

OPS = {"skip": lambda d: nn.Identity(), "lin": lambda d: nn.Linear(d, d),
       "relu": lambda d: nn.Sequential(nn.Linear(d, d), nn.ReLU()),
       "tanh": lambda d: nn.Sequential(nn.Linear(d, d), nn.Tanh())}


class Mixed(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.ops = nn.ModuleList(make(d) for make in OPS.values())

    def forward(self, x, w):
        return sum(wi * op(x) for wi, op in zip(w, self.ops))


class SuperNet(nn.Module):
    def __init__(self, d, classes, cells=2):
        super().__init__()
        self.cells = nn.ModuleList(Mixed(d) for _ in range(cells))
        self.head = nn.Linear(d, classes)
        self.alphas = nn.Parameter(1e-3 * torch.randn(cells, len(OPS)))

    def arch_parameters(self):
        return [self.alphas]

    def weight_parameters(self):
        return [p for p in self.parameters() if p is not self.alphas]

    def forward(self, x):
        for cell, w in zip(self.cells, self.alphas.softmax(-1)):
            x = cell(x, w)
        return self.head(x)

    def genotype(self):
        names = list(OPS)
        return [names[i] for i in self.alphas.detach().argmax(-1).tolist()]
