import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def fit(model, epochs):
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[5, 8])
    for _ in range(epochs):
        x = torch.randn(4, 2, device=device)
        optimizer.zero_grad()
        loss = nn.functional.huber_loss(model(x), x.sum(1, keepdim=True))
        loss.backward()
        optimizer.step()
        scheduler.step()
