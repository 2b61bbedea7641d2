import torch


def enable_dropout(model):
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.train()


def predict_intervals(model, loader, device, samples=5, z=1.96):
    """Monte Carlo dropout: mean and half width of the predictive interval."""
    model.eval()
    enable_dropout(model)
    means, halves = [], []
    with torch.no_grad():
        for x in loader:
            x = x.to(device)
            draws = torch.stack([model(x) for _ in range(samples)])
            means.append(draws.mean(0).squeeze(-1).cpu())
            halves.append(z * draws.std(0).squeeze(-1).cpu())
    return torch.cat(means), torch.cat(halves)


def coverage(mean, half, truth):
    inside = (truth >= mean - half) & (truth <= mean + half)
    return inside.float().mean().item()
