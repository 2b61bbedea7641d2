import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from metrics import ScoreBoard


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(64, 10)
    data = TensorDataset(x, (x[:, 0] > 0).long())
    model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(2):
        model.train()
        for xb, yb in DataLoader(data, 16, shuffle=True):
            xb, yb = xb.to(device), yb.to(device)
            loss = nn.functional.binary_cross_entropy_with_logits(model(xb).squeeze(1), yb.float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        board = ScoreBoard()
        model.eval()
        with torch.no_grad():
            for xb, yb in DataLoader(data, 32):
                xb, yb = xb.to(device), yb.to(device)
                board.update(torch.sigmoid(model(xb).squeeze(1)), yb)
        print(epoch, board.compute())


if __name__ == "__main__":
    main()
