import torch
from torch import nn


class Matching(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.a, self.b = nn.Linear(d, 4), nn.Linear(d, 4)

    def forward(self, x, y):
        return self.a(x), self.b(y)


def objective(u, v, negatives):
    pos = nn.functional.cosine_similarity(u, v)
    push = nn.TripletMarginLoss()(u, v, negatives)
    return (1 - pos).mean() + push


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Matching().to(device)
    optimizer = torch.optim.Adamax(model.parameters())
    for _ in range(2):
        x = torch.randn(8, 6, device=device)
        u, v = model(x, x + 0.1 * torch.randn_like(x))
        loss = objective(u, v, v.roll(1, 0))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
