import torch.nn as nn


def mlp(sizes, act):
    layers = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(a, b), act()]
    return nn.Sequential(*layers[:-1])


def build(cfg):
    gen = mlp([cfg.z, cfg.hidden, cfg.feat], nn.ReLU)
    critic = mlp([cfg.feat, cfg.hidden, 1], nn.SiLU)
    return gen, critic
