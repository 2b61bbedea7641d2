import torch
from torch.utils.data import DataLoader, TensorDataset


def loaders(batch_size):
    x = torch.randn(24, 9)
    y = (x.sum(1) > 0).long()
    train = TensorDataset(x[:16], y[:16])
    test = TensorDataset(x[16:], y[16:])
    return DataLoader(train, batch_size, shuffle=True), DataLoader(test, batch_size)
