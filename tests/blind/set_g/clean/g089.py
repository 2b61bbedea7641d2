import copy
import time

import torch
import torch.nn as nn
from torch.optim import lr_scheduler
from torch.utils.data import DataLoader, TensorDataset


def train_model(model, loaders, criterion, optimizer, scheduler, device, num_epochs=2):
    since = time.time()
    best_wts, best_acc = copy.deepcopy(model.state_dict()), 0.0
    for epoch in range(num_epochs):
        for phase in ["train", "val"]:
            model.train(phase == "train")
            running_loss, running_hits = 0.0, 0
            for inputs, labels in loaders[phase]:
                inputs, labels = inputs.to(device), labels.to(device)
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    outputs = model(inputs)
                    _, preds = torch.max(outputs, 1)
                    loss = criterion(outputs, labels)
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
                running_loss += loss.item() * inputs.size(0)
                running_hits += torch.sum(preds == labels).item()
            if phase == "train":
                scheduler.step()
            size = len(loaders[phase].dataset)
            acc = running_hits / size
            print(f"{epoch} {phase} loss {running_loss / size:.4f} acc {acc:.4f}")
            if phase == "val" and acc > best_acc:
                best_acc, best_wts = acc, copy.deepcopy(model.state_dict())
    print(f"done in {time.time() - since:.1f}s, best {best_acc:.3f}")
    model.load_state_dict(best_wts)
    return model


def make_loader(n, shuffle):
    x = torch.randn(n, 6)
    return DataLoader(TensorDataset(x, (x[:, 0] > x[:, 1]).long()), batch_size=8, shuffle=shuffle)


device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
scheduler = lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
loaders = {"train": make_loader(40, True), "val": make_loader(16, False)}
model = train_model(model, loaders, nn.CrossEntropyLoss(), optimizer, scheduler, device)
