import torch.nn as nn


def distribute(model, device, gpus):
    """Spreads the model over the cards that were asked for."""
    if len(gpus) > 1:
        print("using cards", gpus)
        model = nn.DataParallel(model, device_ids=gpus)
        model.to(device)
    return model


def unwrap(model):
    return model.module if isinstance(model, nn.DataParallel) else model
