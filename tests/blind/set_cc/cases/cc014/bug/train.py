import torch
from torch.utils.data import DataLoader, TensorDataset

from meters import Scoreboard
from vae import VAE

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
board = Scoreboard()


def train_epoch(model, loader, optimizer, beta):
    model.train()
    for (x,) in loader:
        x = x.to(device)
        rec, kl = model.losses(x)
        loss = rec + beta * kl
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        board.log(len(x), loss=loss, rec=rec, kl=kl)


model = VAE().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
loader = DataLoader(TensorDataset(torch.randn(96, 20)), batch_size=24, shuffle=True)
for epoch in range(2):
    train_epoch(model, loader, optimizer, beta=min(1.0, 0.1 * (epoch + 1)))
    print(epoch, board)
