"""Non-negative matrix factorisation and sparse coding by projected gradient descent."""
import torch

torch.manual_seed(3)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rank, lr, l1 = 4, 0.05, 1e-3

truth = torch.rand(30, rank, device=device) @ torch.rand(rank, 20, device=device)
observed = torch.rand_like(truth) < 0.7

W = torch.rand(30, rank, device=device, requires_grad=True)
H = torch.rand(rank, 20, device=device, requires_grad=True)
velocity = {"W": torch.zeros_like(W), "H": torch.zeros_like(H)}


def objective():
    err = (W @ H - truth)[observed]
    return err.pow(2).mean() + l1 * H.abs().sum()


@torch.no_grad()
def project(t, max_norm=None):
    t.clamp_(min=0)
    if max_norm is not None:
        t /= t.norm(dim=0, keepdim=True).clamp(min=1e-8).div(max_norm).clamp(min=1.0)


@torch.no_grad()
def heavy_ball(name, t, momentum=0.8):
    v = velocity[name]
    v.mul_(momentum).sub_(t.grad, alpha=lr)
    t += v
    t.grad.zero_()


for it in range(40):
    loss = objective()
    loss.backward()
    for name, t in (("W", W), ("H", H)):
        heavy_ball(name, t)
    project(W, max_norm=4.0)
    project(H)
    if it % 20 == 0:
        print(it, loss.item())

with torch.no_grad():
    dead = H.sum(1) < 1e-3
    H[dead] = torch.rand(int(dead.sum()), 20, device=device)
    W[:, dead] *= 0.5
    held_out = (W @ H - truth)[~observed].pow(2).mean()
print("held out", held_out.item(), "dead", int(dead.sum()))

# one more sweep over the re-initialised factors
for it in range(5):
    loss = objective()
    loss.backward()
    for name, t in (("W", W), ("H", H)):
        heavy_ball(name, t)
        project(t)
print("final", loss.item())
