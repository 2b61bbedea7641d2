import copy
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
X = torch.randn(80, 5)
Y = (X.sum(1) > 0).long()
loaders = {
    "train": DataLoader(TensorDataset(X[:60], Y[:60]), batch_size=20, shuffle=True),
    "val": DataLoader(TensorDataset(X[60:], Y[60:]), batch_size=20),
}


def train_model(model, criterion, optimizer, num_epochs=3):
    best, best_state = 0.0, copy.deepcopy(model.state_dict())
    for epoch in range(num_epochs):
        for phase in ["train", "val"]:
            training = phase == "train"
            model.train(training)
            running_loss, running_correct = 0.0, 0
            for inputs, labels in loaders[phase]:
                inputs, labels = inputs.to(device), labels.to(device)
                optimizer.zero_grad()
                with torch.set_grad_enabled(training):
                    outputs = model(inputs)
                    loss = criterion(outputs, labels)
                    if training:
                        loss.backward()
                        optimizer.step()
                running_loss += loss.item() * inputs.size(0)
                running_correct += (outputs.argmax(1) == labels).sum().item()
            n = len(loaders[phase].dataset)
            print(f"{epoch} {phase} {running_loss / n:.3f} {running_correct / n:.3f}")
            if not training and running_correct / n > best:
                best, best_state = running_correct / n, copy.deepcopy(model.state_dict())
    model.load_state_dict(best_state)
    return model


net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
train_model(net, nn.CrossEntropyLoss(), torch.optim.SGD(net.parameters(), lr=0.1))
