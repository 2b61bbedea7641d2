import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from scores import Confusion

NAMES = ["road", "building", "tree", "car"]


class Streets(Dataset):
    def __init__(self, n=10, size=16):
        self.n, self.size = n, size

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        image = torch.rand(3, self.size, self.size, generator=g)
        label = torch.randint(0, len(NAMES), (self.size, self.size), generator=g)
        label[:2] = 255
        return image, label


class FCN(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 16, 3, stride=2, padding=1), nn.BatchNorm2d(16), nn.ReLU())
        self.classifier = nn.Conv2d(16, classes, 1)

    def forward(self, x):
        y = self.classifier(self.features(x))
        return nn.functional.interpolate(y, size=x.shape[-2:], mode="bilinear", align_corners=False)


def test_time_flip(model, image):
    return (model(image) + model(image.flip(-1)).flip(-1)) / 2


@torch.inference_mode()
def evaluate(model, loader, device):
    model.eval()
    confusion = Confusion(len(NAMES))
    for image, label in loader:
        logits = test_time_flip(model, image.to(device))
        confusion.update(logits, label.to(device))
    return confusion.report(NAMES)


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = FCN(len(NAMES)).to(device)
    print(evaluate(model, DataLoader(Streets(), batch_size=4), device))
