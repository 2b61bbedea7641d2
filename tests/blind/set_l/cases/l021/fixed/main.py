import torch
import torch.nn as nn

from pipeline import WindowStream


class GRUForecaster(nn.Module):
    def __init__(self, hidden=16, horizon=4):
        super().__init__()
        self.embed = nn.Linear(1, hidden)
        self.rnn = nn.GRU(hidden, hidden, batch_first=True)
        self.head = nn.Linear(hidden, horizon)

    def forward(self, x):
        _, h = self.rnn(torch.relu(self.embed(x.unsqueeze(-1))))
        return self.head(h[-1])


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    series = torch.cumsum(torch.randn(400) * 0.1, 0)
    stream = WindowStream(series, device=device)
    model = GRUForecaster().to(device)
    optim = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    for epoch in range(2):
        total = 0.0
        for past, future in stream.take(5):
            loss = nn.functional.l1_loss(model(past), future)
            optim.zero_grad()
            loss.backward()
            optim.step()
            total += loss.item()
        print(epoch, total / 5)


if __name__ == "__main__":
    main()
