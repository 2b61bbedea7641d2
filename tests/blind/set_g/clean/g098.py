import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils import parameters_to_vector, vector_to_parameters


def flat_grad(value, params, **kwargs):
    grads = torch.autograd.grad(value, params, **kwargs)
    return torch.cat([g.reshape(-1) for g in grads])


def hessian_vector(grad, params, v, damping):
    # the first-order graph is walked once per product
    return flat_grad(grad @ v, params, retain_graph=True) + damping * v


def conjugate_gradient(matvec, b, iters=6, tol=1e-10):
    x = torch.zeros_like(b)
    r, p = b.clone(), b.clone()
    rr = r @ r
    for _ in range(iters):
        ap = matvec(p)
        alpha = rr / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = r @ r
        if new.item() < tol:
            break
        p = r + (new / rr) * p
        rr = new
    return x


class NewtonCG:
    def __init__(self, model, lr=0.5, damping=0.1):
        self.params = list(model.parameters())
        self.lr, self.damping = lr, damping

    def step(self, loss):
        grad = flat_grad(loss, self.params, create_graph=True)
        direction = conjugate_gradient(
            lambda v: hessian_vector(grad, self.params, v, self.damping), grad.detach()
        )
        with torch.no_grad():
            vector_to_parameters(parameters_to_vector(self.params) - self.lr * direction, self.params)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(64, 4, device=device)
    y = (x @ torch.randn(4, device=device) > 0).float()
    model = nn.Linear(4, 1).to(device)
    opt = NewtonCG(model)
    for it in range(4):
        loss = F.binary_cross_entropy_with_logits(model(x).squeeze(1), y)
        opt.step(loss)
        print(it, loss.item())


if __name__ == "__main__":
    main()
