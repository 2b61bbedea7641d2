import torch
from torch import nn

from engine import Engine


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1)).to(device)
    engine = Engine(model, torch.optim.SGD(model.parameters(), lr=0.05), nn.MSELoss())
    data = [(x, x.sum(1, keepdim=True)) for x in torch.randn(4, 8, 3, device=device)]
    for _ in range(2):
        engine.train(data)
        print(engine.evaluate(data))


if __name__ == "__main__":
    main()
