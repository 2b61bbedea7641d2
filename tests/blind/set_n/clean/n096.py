import copy
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
sets = {p: TensorDataset(torch.randn(n, 3, 6, 6), torch.randint(0, 2, (n,))) for p, n in (("train", 24), ("val", 8))}
loaders = {p: DataLoader(s, batch_size=8, shuffle=p == "train") for p, s in sets.items()}


def train_model(model, criterion, optimizer, scheduler, num_epochs=2):
    best_acc, best = -1.0, None
    for epoch in range(num_epochs):
        for phase in ("train", "val"):
            model.train(phase == "train")
            running_loss, running_corrects = 0.0, 0
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
                running_corrects += (preds == labels).sum().item()
            if phase == "train":
                scheduler.step()
            acc = running_corrects / len(sets[phase])
            print(f"{epoch} {phase} loss {running_loss / len(sets[phase]):.4f} acc {acc:.3f}")
            if phase == "val" and acc > best_acc:
                best_acc, best = acc, copy.deepcopy(model.state_dict())
    model.load_state_dict(best)
    return model


net = nn.Sequential(nn.Conv2d(3, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), nn.Flatten(), nn.Linear(96, 2)).to(device)
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
train_model(net, nn.CrossEntropyLoss(), opt, torch.optim.lr_scheduler.StepLR(opt, 1, 0.5))
