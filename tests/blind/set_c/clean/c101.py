"""Fine-tuning loop whose placement is done once, by statement."""
import torch
from torch import nn


class Wide(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(6, 12)
        self.l2 = nn.Linear(12, 2)
        self.register_buffer("temperature", torch.tensor([2.0]))

    def forward(self, x):
        return self.l2(torch.relu(self.l1(x))) / self.temperature


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Wide()
    criterion = nn.CrossEntropyLoss(weight=torch.tensor([0.3, 0.7]))
    model.to(device)
    criterion.to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(2):
        x = torch.randn(4, 6).to(device)
        y = torch.tensor([0, 1, 1, 0]).to(device)
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.cpu()
    model.eval()
    with torch.no_grad():
        print(model(torch.zeros(1, 6)).numpy())


if __name__ == "__main__":
    main()
