import torch

device = "cuda" if torch.cuda.is_available() else "cpu"


def init(sizes, scale=0.1):
    params = []
    for a, b in zip(sizes, sizes[1:]):
        params.append((torch.randn(a, b, device=device) * scale).requires_grad_())
        params.append(torch.zeros(b, device=device, requires_grad=True))
    return params


def forward(params, x):
    for i in range(0, len(params), 2):
        x = x @ params[i] + params[i + 1]
        if i + 2 < len(params):
            x = torch.tanh(x)
    return x


def sgd(params, lr):
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad
            p.grad = None


def train(steps=50, lr=0.1):
    params = init([2, 8, 1])
    for step in range(steps):
        x = torch.rand(16, 2, device=device) * 2 - 1
        y = (x[:, :1] * x[:, 1:]).detach()
        loss = (forward(params, x) - y).pow(2).mean()
        loss.backward()
        sgd(params, lr)
        if step % 10 == 0:
            print(step, loss.item())
    return params


if __name__ == "__main__":
    train()
