import torch
import torch.nn as nn

REGISTRY = {}


def register_model(fn):
    REGISTRY[fn.__name__] = fn
    return fn


class InceptionBlock(nn.Module):
    def __init__(self, cin, cout, kernels):
        super().__init__()
        self.branches = nn.ModuleList([nn.Conv1d(cin, cout, k, padding=k // 2) for k in kernels])
        self.norm = nn.BatchNorm1d(cout * len(kernels))
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.act(self.norm(torch.cat([branch(x) for branch in self.branches], dim=1)))


class InceptionTime(nn.Module):
    def __init__(self, channels, classes, width=6, kernels=(3, 5, 9)):
        super().__init__()
        self.block1 = InceptionBlock(channels, width, kernels)
        self.block2 = InceptionBlock(width * len(kernels), width, kernels)
        self.fc = nn.Linear(width * len(kernels), classes)

    def forward(self, x):
        return self.fc(self.block2(self.block1(x)).mean(-1))


@register_model
def inception_small(channels, classes):
    return InceptionTime(channels, classes)


@register_model
def inception_wide(channels, classes):
    return InceptionTime(channels, classes, width=12)


def create_model(name, **kwargs):
    return REGISTRY[name](**kwargs)
