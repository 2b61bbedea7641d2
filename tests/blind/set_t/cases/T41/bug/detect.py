import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader
from scorer import AnomalyScorer


class LSTMAutoencoder(nn.Module):
    def __init__(self, channels, hidden=24, code=8):
        super().__init__()
        self.encoder = nn.LSTM(channels, hidden, batch_first=True)
        self.squeeze = nn.Linear(hidden, code)
        self.expand = nn.Linear(code, hidden)
        self.decoder = nn.LSTM(hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, channels)

    def forward(self, x):
        _, (h, _) = self.encoder(x)
        code = torch.tanh(self.squeeze(h[-1]))
        seed = self.expand(code).unsqueeze(1).expand(-1, x.size(1), -1)
        return self.out(self.decoder(seed)[0])


def pump(n, fault=None):
    t = torch.arange(n, dtype=torch.float)
    x = torch.stack([torch.sin(t / 5), torch.cos(t / 7), torch.sin(t / 11)], 1)
    x = x + 0.05 * torch.randn_like(x)
    if fault is not None:
        x[fault : fault + 10, 1] += 1.5
    return x


def fit(model, windows, epochs=2):
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    model.train()
    for epoch in range(epochs):
        for x in DataLoader(windows, batch_size=64, shuffle=True):
            loss = F.l1_loss(model(x), x)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


torch.manual_seed(0)
model = LSTMAutoencoder(3)
scorer = AnomalyScorer(model, window=12)
healthy = pump(400)
fit(model, scorer.windows(healthy))
scorer.calibrate(pump(200))
print(scorer(pump(150, fault=80))[:5])
