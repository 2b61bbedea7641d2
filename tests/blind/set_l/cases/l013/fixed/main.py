import torch
from torch.utils.data import DataLoader, TensorDataset

from layers import EncoderModel


def make_data(n=64, steps=20):
    phase = torch.rand(n, 1) * 6
    t = torch.arange(steps + 1) / 3
    wave = torch.sin(t + phase)
    return TensorDataset(wave[:, :-1, None], wave[:, 1:])


def train_one_epoch(model, loader, optimizer, device):
    model.train()
    running = 0.0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        running += loss.item()
    return running / len(loader)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = EncoderModel(1).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.9)
    loader = DataLoader(make_data(), batch_size=16, shuffle=True)
    for epoch in range(2):
        print(epoch, train_one_epoch(model, loader, optimizer, device))
        scheduler.step()
