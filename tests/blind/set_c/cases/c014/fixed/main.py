import torch
from torch import nn

from losses import WeightedFocalLoss

CLASS_COUNTS = [900, 80, 20]


class MLP(nn.Sequential):
    def __init__(self, d_in, d_out, hidden=32):
        super().__init__(nn.Linear(d_in, hidden), nn.SiLU(), nn.Dropout(0.1), nn.Linear(hidden, d_out))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = MLP(10, len(CLASS_COUNTS)).to(device)
    criterion = WeightedFocalLoss(CLASS_COUNTS).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    for step in range(4):
        x = torch.randn(16, 10, device=device)
        y = torch.randint(0, 3, (16,), device=device)
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
