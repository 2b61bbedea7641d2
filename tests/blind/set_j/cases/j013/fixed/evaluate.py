import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

from metrics import AUCMeter


def evaluate(model, loader):
    device = next(model.parameters()).device
    meter = AUCMeter()
    model.eval()
    with torch.inference_mode():
        for x, y in loader:
            logits = model(x.to(device)).squeeze(1)
            meter.update(logits, y.to(device))
    return meter.compute()


if __name__ == "__main__":
    gen = torch.Generator().manual_seed(3)
    x = torch.randn(64, 6, generator=gen)
    y = (x[:, 0] + 0.3 * torch.randn(64, generator=gen) > 0).long()
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    if torch.cuda.is_available():
        model.cuda()
    print("auc", evaluate(model, DataLoader(TensorDataset(x, y), 16)))
