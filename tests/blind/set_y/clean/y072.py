import copy
import time

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


def train_model(model, dataloaders, criterion, optimizer, scheduler, device, num_epochs=3):
    since = time.time()
    best_wts, best_acc = copy.deepcopy(model.state_dict()), 0.0
    for epoch in range(num_epochs):
        for phase in ["train", "val"]:
            is_train = phase == "train"
            model.train(is_train)
            running_loss, running_corrects = 0.0, 0
            for inputs, labels in dataloaders[phase]:
                inputs = inputs.to(device)
                labels = labels.to(device)
                optimizer.zero_grad()
                with torch.set_grad_enabled(is_train):
                    outputs = model(inputs)
                    _, preds = torch.max(outputs, 1)
                    loss = criterion(outputs, labels)
                    if is_train:
                        loss.backward()
                        optimizer.step()
                running_loss += loss.item() * inputs.size(0)
                running_corrects += torch.sum(preds == labels).item()
            if is_train:
                scheduler.step()
            n = len(dataloaders[phase].dataset)
            epoch_acc = running_corrects / n
            print(f"{epoch} {phase} loss {running_loss / n:.4f} acc {epoch_acc:.4f}")
            if phase == "val" and epoch_acc > best_acc:
                best_acc = epoch_acc
                best_wts = copy.deepcopy(model.state_dict())
    print(f"{time.time() - since:.1f}s, best {best_acc:.3f}")
    model.load_state_dict(best_wts)
    return model


device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
x = torch.randn(60, 3, 8, 8)
y = (x.mean(dim=(1, 2, 3)) > 0).long()
loaders = {
    "train": DataLoader(TensorDataset(x[:48], y[:48]), batch_size=8, shuffle=True),
    "val": DataLoader(TensorDataset(x[48:], y[48:]), batch_size=8),
}
net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Dropout(0.2), nn.Linear(288, 2))
net = net.to(device)
opt = optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
train_model(net, loaders, nn.CrossEntropyLoss(), opt, optim.lr_scheduler.StepLR(opt, 2, 0.1), device)
