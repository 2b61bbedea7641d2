import torch
import torch.nn as nn
import torch.nn.functional as F

from sam import SAM


def step(model, optimizer, x, y):
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.climb()
    # a second pass at the displaced weights
    F.cross_entropy(model(x), y).backward()
    optimizer.descend()
    return loss.item()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3)).to(device)
    optimizer = SAM(torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9))
    for i in range(4):
        x = torch.randn(16, 5, device=device)
        y = torch.randint(0, 3, (16,), device=device)
        print(i, step(model, optimizer, x, y))
