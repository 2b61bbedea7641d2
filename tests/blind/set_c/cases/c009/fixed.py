import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class AutoEncoder(nn.Module):
    def __init__(self, d_in=32, d_code=4):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d_in, 16), nn.GELU(), nn.Linear(16, d_code))
        self.dec = nn.Sequential(nn.Linear(d_code, 16), nn.GELU(), nn.Linear(16, d_in))

    def forward(self, x):
        code = self.enc(x)
        return self.dec(code), code


def report(name, value):
    print(f"{name}: {float(value):.4f}")


def train(model, loader, optimizer, epochs, device, beta=1e-3):
    mse = nn.MSELoss()
    for epoch in range(epochs):
        epoch_loss = 0
        for (x,) in loader:
            x = x.to(device)
            recon, code = model(x)
            loss = mse(recon, x) + beta * code.pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            epoch_loss += loss.item() * x.size(0)
        report(f"epoch {epoch}", epoch_loss / len(loader.dataset))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(TensorDataset(torch.randn(64, 32)), batch_size=16, shuffle=True)
    model = AutoEncoder().to(device)
    train(model, loader, torch.optim.Adam(model.parameters(), 1e-3), epochs=2, device=device)


if __name__ == "__main__":
    main()
