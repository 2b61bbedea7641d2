import torch.nn as nn


def distribute(model, device, gpus):
    """Spreads the model over the cards that were asked for."""
    if len(gpus) > 1:
        print("using cards", gpus)
        return nn.DataParallel(model.to(device), device_ids=gpus)
    return model.to(device)


def unwrap(model):
    return model.module if isinstance(model, nn.DataParallel) else model
