import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def rosenbrock(p):
    return (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2


point = torch.tensor([-1.0, 1.5], requires_grad=True).to(device)
velocity = torch.zeros(2, device=device)
for i in range(10):
    value = rosenbrock(point)
    value.backward()
    with torch.no_grad():
        velocity = 0.9 * velocity - 1e-4 * point.grad
        point += velocity
    point.grad = None
print(point.tolist())
