import argparse
import time
from copy import deepcopy

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def backbone():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, stride=2), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
        nn.Conv2d(8, 16, 3, stride=2), nn.BatchNorm2d(16), nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(),
    )


class FineTuned(nn.Module):
    def __init__(self, n_classes, freeze=True):
        super().__init__()
        self.features = backbone()
        if freeze:
            for param in self.features.parameters():
                param.requires_grad = False
        self.fc = nn.Linear(16, n_classes)

    def forward(self, x):
        return self.fc(self.features(x))


def train_model(model, dataloaders, criterion, optimizer, scheduler, device, num_epochs):
    since = time.time()
    best_wts, best_acc = deepcopy(model.state_dict()), 0.0
    for epoch in range(num_epochs):
        for phase in ["train", "val"]:
            if phase == "train":
                model.train()
            else:
                model.eval()

            running_loss, running_corrects, seen = 0.0, 0, 0
            for inputs, labels in dataloaders[phase]:
                inputs = inputs.to(device)
                labels = labels.to(device)
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    outputs = model(inputs)
                    _, preds = torch.max(outputs, 1)
                    loss = criterion(outputs, labels)
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
                running_loss += loss.item() * inputs.size(0)
                running_corrects += torch.sum(preds == labels.data)
                seen += inputs.size(0)
            if phase == "train":
                scheduler.step()

            epoch_loss = running_loss / seen
            epoch_acc = running_corrects.double() / seen
            print(f"{epoch} {phase} Loss: {epoch_loss:.4f} Acc: {epoch_acc:.4f}")
            if phase == "val" and epoch_acc > best_acc:
                best_acc = epoch_acc.item()
                best_wts = deepcopy(model.state_dict())
    print(f"done in {time.time() - since:.0f}s, best {best_acc:.4f}")
    model.load_state_dict(best_wts)
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--unfreeze", action="store_true")
    args = parser.parse_args()
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    sets = {
        "train": TensorDataset(torch.rand(32, 3, 20, 20), torch.randint(0, 3, (32,))),
        "val": TensorDataset(torch.rand(16, 3, 20, 20), torch.randint(0, 3, (16,))),
    }
    loaders = {k: DataLoader(v, batch_size=8, shuffle=k == "train") for k, v in sets.items()}
    model = FineTuned(3, freeze=not args.unfreeze).to(device)
    trainable = filter(lambda p: p.requires_grad, model.parameters())
    optimizer = torch.optim.SGD(trainable, lr=0.01, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    train_model(model, loaders, nn.CrossEntropyLoss(), optimizer, scheduler, device, args.epochs)


if __name__ == "__main__":
    main()
