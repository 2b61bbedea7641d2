import torch
from torch import nn


def repackage(state):
    if isinstance(state, torch.Tensor):
        return state.detach()
    return tuple(repackage(s) for s in state)


class LSTMForecaster(nn.Module):
    def __init__(self, d, h=16, layers=2):
        super().__init__()
        self.rnn = nn.LSTM(d, h, layers, batch_first=True)
        self.out = nn.Linear(h, d)
        self.shape = (layers, h)

    def initial(self, batch):
        w = self.out.weight
        return tuple(w.new_zeros(self.shape[0], batch, self.shape[1]) for _ in range(2))

    def forward(self, x, state):
        y, state = self.rnn(x, state)
        return self.out(y), state


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
series = torch.randn(6, 61, 3).cumsum(1).to(device)
model = LSTMForecaster(3).to(device)
opt = torch.optim.RMSprop(model.parameters(), lr=1e-3)
for epoch in range(2):
    state = model.initial(len(series))
    for t in range(0, 60, 15):
        state = repackage(state)
        x, y = series[:, t:t + 15], series[:, t + 1:t + 16]
        pred, state = model(x, state)
        loss = nn.functional.l1_loss(pred, y)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
