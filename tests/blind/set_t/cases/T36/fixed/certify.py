import torch
from torch import nn
import torch.nn.functional as F
from smoothing import SmoothedClassifier


def train(model, device, sigma, steps=30):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    model.train()
    for _ in range(steps):
        y = torch.randint(0, 3, (32,))
        x = F.one_hot(y, 3).float().repeat_interleave(3, 1) * 2 + sigma * torch.randn(32, 9)
        loss = F.cross_entropy(model(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(9, 32), nn.ReLU(), nn.Linear(32, 3)).to(device)
    print("loss", train(model, device, 0.5))
    smooth = SmoothedClassifier(model, 3)
    for y in range(3):
        x = F.one_hot(torch.tensor(y), 3).float().repeat_interleave(3) * 2
        label, radius = smooth.certify(x.to(device))
        print(y, label, round(radius, 3))


if __name__ == "__main__":
    main()
