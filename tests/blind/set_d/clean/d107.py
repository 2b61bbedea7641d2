import numpy as np
import torch


@torch.no_grad()
def features(model, batches, device):
    model.eval()
    rows = [model(x.to(device)).cpu().numpy() for x in batches]
    return np.concatenate(rows)


def lengths(batch):
    return np.array([len(b) for b in batch]) / np.sqrt(torch.tensor([4.0]).item())
