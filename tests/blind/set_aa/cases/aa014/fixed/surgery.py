import torch.nn as nn


def adapt_head(model, classes):
    """Gives a zoo model a classifier for another label set."""
    device = model.fc.weight.device
    model.fc = nn.Linear(model.fc.in_features, classes).to(device)
    nn.init.normal_(model.fc.weight, std=0.01)
    nn.init.zeros_(model.fc.bias)
    return model
