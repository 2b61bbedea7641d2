import torch


class LotkaVolterra:
    """Fits the rates of a predator-prey model to an observed path."""

    def __init__(self, guess, lr=1e-3):
        self.rates = torch.tensor(guess, requires_grad=True)
        self.lr = lr

    def derivative(self, s):
        a, b, c, d = self.rates
        x, y = s
        return torch.stack([a * x - b * x * y, d * x * y - c * y])

    def simulate(self, s, steps, dt=0.05):
        path = [s]
        for _ in range(steps):
            k1 = self.derivative(s)
            k2 = self.derivative(s + dt * k1)
            s = s + dt * (k1 + k2) / 2
            path.append(s)
        return torch.stack(path)

    def descend(self):
        grad = self.rates.grad
        with torch.no_grad():
            self.rates -= self.lr * grad.clamp(-10, 10)
        self.rates.grad = None

    def fit(self, observed, iters):
        for i in range(iters):
            loss = (self.simulate(observed[0], len(observed) - 1) - observed).pow(2).mean()
            loss.backward()
            self.descend()
            print(i, loss.item())
        return self.rates.detach()


truth = LotkaVolterra([1.0, 0.4, 0.6, 0.2])
with torch.no_grad():
    observed = truth.simulate(torch.tensor([3.0, 2.0]), 20)
print(LotkaVolterra([0.8, 0.5, 0.5, 0.3]).fit(observed, 4))
