import torch


class LogisticRegression:
    def __init__(self, features, lr=0.5, l2=1e-3, device="cpu"):
        self.w = torch.zeros(features, 1, device=device, requires_grad=True)
        self.b = torch.zeros(1, device=device, requires_grad=True)
        self.lr = lr
        self.l2 = l2

    def logits(self, x):
        return x @ self.w + self.b

    def loss(self, x, y):
        z = self.logits(x)
        data = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
        return data + self.l2 * self.w.pow(2).sum()

    def update(self):
        with torch.no_grad():
            self.w -= self.lr * self.w.grad
            self.b -= self.lr * self.b.grad
        self.w.grad.zero_()
        self.b.grad.zero_()

    def fit(self, x, y, epochs, batch):
        for epoch in range(epochs):
            order = torch.randperm(len(x), device=x.device)
            for idx in order.split(batch):
                loss = self.loss(x[idx], y[idx])
                loss.backward()
                self.update()
            if epoch % 2 == 0:
                print(f"epoch {epoch} loss {loss.item():.4f}")
        return self

    @torch.no_grad()
    def score(self, x, y):
        return ((self.logits(x) > 0) == y.bool()).float().mean().item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(200, 4, device=device)
    truth = torch.tensor([[1.5], [-2.0], [0.0], [0.7]], device=device)
    y = ((x @ truth) > 0).float()
    model = LogisticRegression(4, device=device).fit(x[:150], y[:150], epochs=5, batch=30)
    print("held out", model.score(x[150:], y[150:]))


if __name__ == "__main__":
    main()
