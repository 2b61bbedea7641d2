# Matrix factorisation with a hand written optimiser
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(7)

n_users, n_items, rank = 12, 9, 3
truth = torch.randn(n_users, rank, device=device) @ torch.randn(rank, n_items, device=device)
observed = torch.rand(n_users, n_items, device=device) < 0.6

params = {
    "users": torch.randn(n_users, rank, device=device, requires_grad=True),
    "items": torch.randn(n_items, rank, device=device, requires_grad=True),
    "bias": torch.zeros(n_items, device=device, requires_grad=True),
}


def predict(p):
    return p["users"] @ p["items"].T + p["bias"]


def objective(p, weight_decay=1e-3):
    error = (predict(p) - truth)[observed]
    penalty = sum(v.pow(2).sum() for v in p.values())
    return error.pow(2).mean() + weight_decay * penalty


def sgd(p, lr):
    for name, value in p.items():
        with torch.no_grad():
            value -= lr * value.grad
        value.grad = None


for step in range(30):
    loss = objective(params)
    loss.backward()
    sgd(params, lr=0.05)
    if step % 10 == 0:
        print(step, loss.item())

with torch.no_grad():
    print("rmse", (predict(params) - truth)[~observed].pow(2).mean().sqrt().item())
