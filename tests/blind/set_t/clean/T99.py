# Hamiltonian Monte Carlo for a logistic regression posterior
import math
import torch
import torch.nn.functional as F

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

# data
n, d = 60, 4
features = torch.randn(n, d, device=device)
true_w = torch.tensor([1.5, -1.0, 0.5, 0.0], device=device)
labels = torch.bernoulli((features @ true_w).sigmoid())

# start at the mode
w = torch.zeros(d, device=device, requires_grad=True)
mode_finder = torch.optim.Adam([w], lr=0.2)
for _ in range(15):
    nll = F.binary_cross_entropy_with_logits(features @ w, labels, reduction="sum") + 0.5 * w.square().sum()
    mode_finder.zero_grad()
    nll.backward()
    mode_finder.step()

# sampling
position = w.detach().clone()
step_size, leaps = 0.1, 8
samples, accepted = [], 0
for it in range(40):
    momentum = torch.randn_like(position)
    q = position.clone().requires_grad_()
    energy = F.binary_cross_entropy_with_logits(features @ q, labels, reduction="sum") + 0.5 * q.square().sum()
    start = energy.detach() + 0.5 * momentum.square().sum()
    (grad,) = torch.autograd.grad(energy, q)
    p = momentum - 0.5 * step_size * grad
    for leap in range(leaps):
        q = (q.detach() + step_size * p).requires_grad_()
        energy = F.binary_cross_entropy_with_logits(features @ q, labels, reduction="sum") + 0.5 * q.square().sum()
        (grad,) = torch.autograd.grad(energy, q)
        p = p - (step_size if leap < leaps - 1 else 0.5 * step_size) * grad
    end = energy.detach() + 0.5 * p.square().sum()
    if math.log(torch.rand(()).item()) < (start - end).item():
        position = q.detach()
        accepted += 1
    if it >= 10:
        samples.append(position)

# summary
draws = torch.stack(samples).cpu()
print("accepted", accepted / 40)
print("mean", draws.mean(0).tolist(), "sd", draws.std(0).tolist())
low, high = torch.quantile(draws, torch.tensor([0.05, 0.95]), dim=0)
inside = (low < true_w.cpu()) & (true_w.cpu() < high)
print("covered", inside.tolist())
probs = (features @ draws.to(device).t()).sigmoid().mean(1)
print("accuracy", ((probs > 0.5).float() == labels).float().mean().item())
