import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset


class VideoBackbone(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv3d(3, width, 3, padding=1), nn.ReLU(), nn.MaxPool3d(2))
        self.stage = nn.Sequential(nn.Conv3d(width, 2 * width, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool3d(1))

    def forward(self, clip):
        return self.stage(self.stem(clip)).flatten(1)


class ActionClassifier(nn.Module):
    def __init__(self, backbone, feat=16, actions=5, finetune="head"):
        super().__init__()
        self.backbone = backbone
        self.classifier = nn.Linear(feat, actions)
        if finetune == "head":
            self.freeze(self.backbone)
        elif finetune == "last":
            self.freeze(self.backbone.stem)

    @staticmethod
    def freeze(module):
        for param in module.parameters():
            param.require_grad = False

    def forward(self, clip):
        return self.classifier(self.backbone(clip))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
backbone = VideoBackbone()
pretrained = {k: v.clone() for k, v in backbone.state_dict().items()}
model = ActionClassifier(backbone, finetune="head").to(device)

optimizer = optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1, momentum=0.9)
criterion = nn.CrossEntropyLoss()
loader = DataLoader(TensorDataset(torch.randn(16, 3, 4, 8, 8), torch.randint(0, 5, (16,))), batch_size=4)

for epoch in range(2):
    model.train()
    correct = 0
    for clips, labels in loader:
        clips, labels = clips.to(device), labels.to(device)
        logits = model(clips)
        loss = criterion(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        correct += (logits.argmax(1) == labels).sum().item()
    print(f"epoch {epoch} acc {correct / 16:.2f}")
