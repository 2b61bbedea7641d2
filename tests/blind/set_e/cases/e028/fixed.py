import torch
import torch.nn.functional as F


def universal_perturbation(model, batches, dim, eps=0.3, step=0.05):
    """One perturbation that raises the loss on every batch."""
    device = next(model.parameters()).device
    model.eval()
    delta = torch.zeros(1, dim, device=device, requires_grad=True)
    for x, y in batches:
        x, y = x.to(device), y.to(device)
        loss = F.cross_entropy(model(x + delta), y)
        loss.backward()
        with torch.no_grad():
            delta += step * delta.grad.sign()
            delta.clamp_(-eps, eps)
        delta.grad = None
        model.zero_grad()
    return delta.detach()


@torch.no_grad()
def robustness(model, batches, delta):
    same, n = 0, 0
    for x, _ in batches:
        x = x.to(delta.device)
        same += (model(x).argmax(1) == model(x + delta).argmax(1)).sum().item()
        n += len(x)
    return same / n
