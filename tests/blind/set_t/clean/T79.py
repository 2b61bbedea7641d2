import copy
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, stack_module_state, vmap


class Member(nn.Module):
    def __init__(self, n=5, hidden=16):
        super().__init__()
        self.a, self.b = nn.Linear(n, hidden), nn.Linear(hidden, 2)

    def forward(self, x):
        mean, log_var = self.b(torch.tanh(self.a(x))).unbind(-1)
        return mean, log_var.clamp(-6, 3)


class Ensemble(nn.Module):
    """Trained one by one in a single loss, evaluated with vmap."""

    def __init__(self, k=4):
        super().__init__()
        self.members = nn.ModuleList(Member() for _ in range(k))

    def loss(self, x, y):
        total = 0.0
        for member in self.members:
            keep = torch.randint(len(x), (len(x),), device=x.device)
            mean, log_var = member(x[keep])
            total += F.gaussian_nll_loss(mean, y[keep], log_var.exp())
        return total / len(self.members)

    @torch.no_grad()
    def predict(self, x):
        params, buffers = stack_module_state(list(self.members))
        skeleton = copy.deepcopy(self.members[0]).to("meta")
        single = lambda p, b, x: functional_call(skeleton, (p, b), (x,))
        means, log_vars = vmap(single, in_dims=(0, 0, None))(params, buffers, x)
        mean = means.mean(0)
        var = log_vars.exp().mean(0) + means.var(0)
        return mean, var


def calibration(mean, var, y, levels=(0.5, 0.9)):
    normal = torch.distributions.Normal(mean, var.sqrt())
    u = normal.cdf(y)
    return {q: ((u - 0.5).abs() < q / 2).float().mean().item() for q in levels}


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(120, 5).to(device)
    y = x[:, 0] * x[:, 1] + 0.1 * torch.randn(120, device=device)
    model = Ensemble().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    best, patience = float("inf"), 0
    for epoch in range(12):
        model.train()
        loss = model.loss(x[:96], y[:96])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.eval()
        mean, var = model.predict(x[96:])
        score = F.gaussian_nll_loss(mean, y[96:], var).item()
        if score < best:
            best, patience = score, 0
        else:
            patience += 1
            if patience == 3:
                break
    print(best, calibration(*model.predict(x[96:]), y[96:]))


if __name__ == "__main__":
    main()
