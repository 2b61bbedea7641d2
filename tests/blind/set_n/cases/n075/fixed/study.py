import torch
from torch import nn
from report import quantiles, summary


class Regressor:
    """sklearn-like wrapper."""

    def __init__(self, hidden=16, epochs=20, lr=1e-2):
        self.hidden, self.epochs, self.lr = hidden, epochs, lr

    def fit(self, X, y):
        self.net_ = nn.Sequential(nn.Linear(X.shape[1], self.hidden), nn.Tanh(), nn.Linear(self.hidden, 1))
        opt = torch.optim.Adam(self.net_.parameters(), lr=self.lr)
        for _ in range(self.epochs):
            opt.zero_grad()
            loss = nn.functional.mse_loss(self.net_(X).squeeze(1), y)
            loss.backward()
            opt.step()
        self.net_.eval()
        return self

    @torch.no_grad()
    def predict(self, X):
        return self.net_(X).squeeze(1)


if __name__ == "__main__":
    X = torch.randn(80, 4)
    y = X[:, 0] * X[:, 1] + 0.1 * torch.randn(80)
    model = Regressor().fit(X[:60], y[:60])
    pred = model.predict(X[60:])
    print(summary(y[60:], pred))
    print(quantiles((y[60:] - pred).tolist()))
