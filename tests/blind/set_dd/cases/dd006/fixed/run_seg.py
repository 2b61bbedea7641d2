import torch
from torch.utils.data import DataLoader, Dataset

from metrics import DiceMeter
from unet3d import UNet3D


class Volumes(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        return {
            "image": torch.randn(1, 8, 8, 8, generator=g),
            "label": torch.randint(0, 3, (8, 8, 8), generator=g),
            "case": f"case_{i:03d}",
        }


@torch.no_grad()
def evaluate(model, loader, device):
    model.eval()
    meter = DiceMeter(3)
    for sample in loader:
        logits = model(sample["image"].to(device, non_blocking=True))
        pred = logits.argmax(dim=1)
        for p, ref in zip(pred, sample["label"]):
            meter.add(p.cpu(), ref)
    return meter.summary()


if __name__ == "__main__":
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    net = UNet3D(3).to(device)
    print(evaluate(net, DataLoader(Volumes(), batch_size=2), device))
