import torch
import torch.nn as nn
from torch.utils.data import DataLoader

from batch import collate


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    rows = [{"x": torch.randn(4), "y": i % 2, "name": f"row{i}"} for i in range(20)]
    loader = DataLoader(rows, batch_size=5, shuffle=True, collate_fn=collate)
    model = nn.Linear(4, 2)
    model.to(device)
    criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 1.5]))
    criterion.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        worst = (float("-inf"), "")
        for batch in loader:
            batch.to(device)
            logits = model(batch.x)
            loss = criterion(logits, batch.y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            worst = max(worst, (loss.item(), batch.names[0]))
        print(epoch, worst)


if __name__ == "__main__":
    main()
