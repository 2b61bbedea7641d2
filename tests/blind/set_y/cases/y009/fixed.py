import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class SegHead(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU())
        self.cls = nn.Conv2d(12, n_classes, 1)

    def forward(self, x):
        return self.cls(self.body(x))


class Evaluator:
    def __init__(self, num_class):
        self.num_class = num_class
        self.confusion_matrix = np.zeros((num_class,) * 2)

    def mean_iou(self):
        tp = np.diag(self.confusion_matrix)
        union = self.confusion_matrix.sum(1) + self.confusion_matrix.sum(0) - tp
        return np.nanmean(tp / np.maximum(union, 1))

    def add_batch(self, gt_image, pre_image):
        assert gt_image.shape == pre_image.shape
        mask = (gt_image >= 0) & (gt_image < self.num_class)
        label = self.num_class * gt_image[mask].astype(int) + pre_image[mask]
        count = np.bincount(label, minlength=self.num_class ** 2)
        self.confusion_matrix += count.reshape(self.num_class, self.num_class)


def validation(model, loader, evaluator, device):
    model.eval()
    criterion = nn.CrossEntropyLoss(ignore_index=255)
    test_loss = 0.0
    for image, target in loader:
        image, target = image.to(device), target.to(device)
        with torch.no_grad():
            output = model(image)
        test_loss += criterion(output, target).item()
        pred = np.argmax(output.cpu().numpy(), axis=1)
        target = target.cpu().numpy()
        evaluator.add_batch(target, pred)
    return test_loss / len(loader), evaluator.mean_iou()


if __name__ == "__main__":
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    masks = torch.randint(0, 4, (12, 10, 10))
    masks[:, 0] = 255
    ds = TensorDataset(torch.randn(12, 3, 10, 10), masks)
    net = SegHead(4).to(dev)
    print(validation(net, DataLoader(ds, batch_size=4), Evaluator(4), dev))
