import torch
import torch.nn as nn

from gradcam import GradCAM


class SmallCNN(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.block1 = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.block2 = nn.Sequential(nn.Conv2d(8, 12, 3, stride=2, padding=1), nn.BatchNorm2d(12), nn.ReLU())
        self.fc = nn.Linear(12, classes)

    def forward(self, x):
        return self.fc(self.block2(self.block1(x)).mean((2, 3)))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SmallCNN().to(device)
    cam = GradCAM(model, model.block2)
    images = torch.randn(3, 3, 16, 16).to(device)
    heat, classes = cam(images)
    print(heat.shape, classes)
    heat, _ = cam(images, torch.tensor([0, 1, 2]).to(device))
    print(heat.max())
    cam.close()


if __name__ == "__main__":
    main()
