import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Linear(6, 8)
        self.fc = nn.Linear(8, classes)

    def forward(self, x):
        return self.fc(torch.relu(self.body(x)))


def main(classes=3):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Net(10).to(device)
    model.fc = nn.Linear(8, classes).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    start = model.fc.weight.detach().cpu().clone()
    for _ in range(3):
        x, y = torch.randn(8, 6, device=device), torch.randint(0, classes, (8,), device=device)
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model, start
