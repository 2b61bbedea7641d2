import numpy as np
import torch
from torch.utils.data import Dataset


class Windows(Dataset):
    def __init__(self, series, past, future):
        self.series = np.asarray(series, dtype=np.float32)
        self.past, self.future = past, future
        self.mean, self.std = self.series.mean(0), self.series.std(0) + 1e-6

    def __len__(self):
        return len(self.series) - self.past - self.future + 1

    def __getitem__(self, i):
        w = (self.series[i : i + self.past + self.future] - self.mean) / self.std
        w = torch.from_numpy(w)
        hour = torch.arange(i, i + self.past) % 24
        return {"past": w[: self.past], "hour": hour, "future": w[self.past :, 0]}


def to_device(batch, device):
    return {k: v.to(device, non_blocking=True) for k, v in batch.items()}
