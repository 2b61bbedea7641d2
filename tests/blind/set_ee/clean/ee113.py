import torch

torch.manual_seed(0)
dtype = torch.float
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")

N, D_in, H, D_out = 64, 20, 30, 5

x = torch.randn(N, D_in, device=device, dtype=dtype)
y = torch.randn(N, D_out, device=device, dtype=dtype)

w1 = torch.randn(D_in, H, device=device, dtype=dtype, requires_grad=True)
w2 = torch.randn(H, D_out, device=device, dtype=dtype, requires_grad=True)
b2 = torch.zeros(D_out, device=device).requires_grad_()

learning_rate = 1e-5
velocity = {id(w): torch.zeros_like(w) for w in (w1, w2, b2)}
mean_abs = []

for t in range(100):
    hidden = x.mm(w1).clamp(min=0)
    y_pred = hidden.mm(w2) + b2
    loss = (y_pred - y).pow(2).sum()
    if t % 25 == 24:
        print(t, loss.item())

    loss.backward()

    with torch.no_grad():
        for w in (w1, w2, b2):
            v = velocity[id(w)]
            v.mul_(0.5).add_(w.grad)
            w -= learning_rate * v
        mean_abs.append(w1.abs().mean().item())
        w1.grad.zero_()
        w2.grad.zero_()
        b2.grad = None


def predict(inputs):
    with torch.no_grad():
        return inputs.mm(w1).clamp_(min=0).mm(w2).add_(b2)


residual = predict(x) - y
residual[residual.abs() < 0.01] = 0
print("rms", residual.square().mean().sqrt().item(), "drift", mean_abs[-1] - mean_abs[0])


def numeric_gradient(weight, row, col, eps=1e-2):
    with torch.no_grad():
        old = weight[row, col].item()
        weight[row, col] = old + eps
        up = (predict(x) - y).pow(2).sum().item()
        weight[row, col] = old - eps
        down = (predict(x) - y).pow(2).sum().item()
        weight[row, col] = old
    return (up - down) / (2 * eps)


check = (x.mm(w1).clamp(min=0).mm(w2) + b2 - y).pow(2).sum()
(analytic,) = torch.autograd.grad(check, w2)
print("numeric", numeric_gradient(w2, 1, 2), "analytic", analytic[1, 2].item())
