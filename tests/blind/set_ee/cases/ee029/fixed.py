import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

ACCUM_STEPS = 4
CLIP = 1.0


def get_loader():
    torch.manual_seed(11)
    x = torch.randn(128, 16)
    w = torch.randn(16, 1)
    return DataLoader(TensorDataset(x, x @ w), batch_size=8, shuffle=True)


def optimizer_update(model, optimizer):
    nn.utils.clip_grad_norm_(model.parameters(), CLIP)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def train(model, loader, optimizer, scheduler, criterion, device, epochs):
    for epoch in range(epochs):
        model.train()
        epoch_loss = 0.0
        optimizer.zero_grad(set_to_none=True)
        for i, (x, y) in enumerate(loader, start=1):
            x, y = x.to(device), y.to(device)
            loss = criterion(model(x), y)
            (loss / ACCUM_STEPS).backward()
            epoch_loss += loss.item()
            if i % ACCUM_STEPS == 0 or i == len(loader):
                optimizer_update(model, optimizer)
        scheduler.step()
        print(f'epoch {epoch}: {epoch_loss / len(loader):.4f}')


def main():
    device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=3)
    train(model, get_loader(), optimizer, scheduler, nn.MSELoss(), device, epochs=3)


if __name__ == '__main__':
    main()
