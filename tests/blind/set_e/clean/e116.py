import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, SWALR, update_bn
from torch.utils.data import DataLoader, TensorDataset


def net():
    return nn.Sequential(nn.Linear(5, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Linear(12, 2))


def main(epochs=4, swa_start=2):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(48, 5)
    loader = DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=16, shuffle=True)
    model = net().to(device)
    averaged = AveragedModel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    swa = SWALR(optimizer, swa_lr=0.05)
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for xb, yb in loader:
            xb, yb = xb.to(device), yb.to(device)
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(xb), yb)
            loss.backward()
            optimizer.step()
            total += loss.item()
        if epoch >= swa_start:
            averaged.update_parameters(model)
            swa.step()
        else:
            cosine.step()
        print(epoch, total / len(loader))
    update_bn(loader, averaged, device=device)
    averaged.eval()
    with torch.no_grad():
        print(averaged(x.to(device)).argmax(1).cpu().eq((x[:, 0] > 0).long()).float().mean().item())


if __name__ == "__main__":
    main()
