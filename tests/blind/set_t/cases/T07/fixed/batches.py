import torch
from torch.utils.data import Dataset


class PairedViews(Dataset):
    """Each sample has a cheap view for the student and a rich one for the teacher."""

    def __init__(self, n=48):
        self.small = torch.randn(n, 12)
        self.rich = torch.randn(n, 40)
        self.label = torch.randint(0, 6, (n,))

    def __len__(self):
        return len(self.label)

    def __getitem__(self, i):
        return {
            "student": self.small[i],
            "label": self.label[i],
            "teacher": {"features": self.rich[i], "weight": torch.tensor(1.0)},
        }


def to_device(batch, device):
    moved = {}
    for key, value in batch.items():
        if torch.is_tensor(value):
            moved[key] = value.to(device, non_blocking=True)
        elif isinstance(value, dict):
            moved[key] = to_device(value, device)
        else:
            moved[key] = value
    return moved
