import torch
from torch.utils.data import DataLoader

from model import VAE
from objective import ELBO


def run(epochs=2, batch=32):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = torch.randn(128, 3) @ torch.randn(3, 36)
    loader = DataLoader(data, batch_size=batch, shuffle=True)
    model = VAE().to(device)
    objective = ELBO(beta=0.01)
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(epochs):
        parts = {}
        for x in loader:
            x = x.to(device)
            loss, parts = objective(x, *model(x))
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, {k: round(v.item(), 4) for k, v in parts.items()})


if __name__ == "__main__":
    run()
