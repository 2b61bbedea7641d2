import torch
import torch.nn as nn


def build_model(spec):
    return nn.Sequential(
        nn.EmbeddingBag(spec["vocab"], spec["dim"], mode="mean"),
        nn.Linear(spec["dim"], spec["dim"]),
        nn.ReLU(),
        nn.Linear(spec["dim"], spec["classes"]),
    )


OPTIMIZERS = {
    "adagrad": lambda p, lr: torch.optim.Adagrad(p, lr=lr),
    "sgd": lambda p, lr: torch.optim.SGD(p, lr=lr, momentum=0.9),
}


def build(spec):
    model = build_model(spec["model"])
    optimizer = OPTIMIZERS[spec["optim"]["name"]](model.parameters(), spec["optim"]["lr"])
    return model, optimizer
