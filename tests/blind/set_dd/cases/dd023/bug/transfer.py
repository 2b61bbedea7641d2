"""Plant disease classifier: train the last layer on top of fixed features."""
import torch
from torch import nn

import backbone as bb


class Classifier(nn.Module):
    def __init__(self, backbone, n_classes):
        super().__init__()
        self.backbone = backbone
        self.fc = nn.Linear(backbone.out_dim, n_classes)

    def forward(self, x):
        return self.fc(self.backbone(x))


def build_model(n_classes, train_backbone=False):
    model = Classifier(bb.pretrained(), n_classes)
    model.backbone.requires_grad = train_backbone
    return model


def leaves(n, n_classes=4):
    for _ in range(n):
        yield torch.rand(8, 3, 16, 16), torch.randint(n_classes, (8,))


def finetune(model, steps=5, lr=0.05):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = model.to(device).train()
    params = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(params, lr=lr, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    for x, y in leaves(steps):
        loss = criterion(model(x.to(device)), y.to(device))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    print("trained", sum(p.numel() for p in params), "weights; loss", loss.item())


if __name__ == "__main__":
    finetune(build_model(n_classes=4))
