import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from base import NormalizedModel


class Shapes(Dataset):
    def __init__(self, n=24):
        self.images = torch.rand(n, 3, 16, 16)
        self.labels = torch.randint(0, 4, (n,))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i], self.labels[i]


class SmallConv(NormalizedModel):
    def __init__(self, classes=4):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.fc = nn.Linear(8, classes)

    def features(self, images):
        return self.body(self.normalize(images)).mean(dim=(2, 3))

    def forward(self, images):
        return self.fc(self.features(images))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(Shapes(), batch_size=8, shuffle=True)
    net = SmallConv()
    net.to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(2):
        correct = 0
        for images, labels in loader:
            images, labels = images.to(device), labels.to(device)
            logits = net(images)
            loss = F.cross_entropy(logits, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            correct += (logits.argmax(1) == labels).sum().item()
        print(epoch, correct / len(loader.dataset))


if __name__ == "__main__":
    main()
