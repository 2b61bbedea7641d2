import torch
import torch.nn as nn
import torch.nn.functional as F


def fgsm(model, x, y, eps):
    x = x.detach().clone().requires_grad_(True)
    loss = F.cross_entropy(model(x), y)
    (grad,) = torch.autograd.grad(loss, x)
    return (x.detach() + eps * grad.sign()).clamp(-3, 3)


def evaluate(model, x, y, device, epsilons=(0.0, 0.05, 0.1), batch_size=16):
    """Accuracy on clean and on attacked inputs."""
    model.eval()
    correct = {eps: torch.zeros((), dtype=torch.long, device=device) for eps in epsilons}
    for xb, yb in zip(x.split(batch_size), y.split(batch_size)):
        xb, yb = xb.to(device), yb.to(device)
        for eps in epsilons:
            attacked = fgsm(model, xb, yb, eps) if eps else xb
            with torch.no_grad():
                correct[eps] += (model(attacked).argmax(1) == yb).sum()
    model.train()
    return {eps: hits.item() / len(y) for eps, hits in correct.items()}


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 3)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    x = torch.randn(128, 8)
    y = x[:, :3].argmax(1)
    for epoch in range(3):
        for idx in torch.randperm(96).split(16):
            xb, yb = x[idx].to(device), y[idx].to(device)
            xb = fgsm(model, xb, yb, 0.02)
            optimizer.zero_grad()
            F.cross_entropy(model(xb), yb).backward()
            optimizer.step()
        print(epoch, evaluate(model, x[96:], y[96:], device))


if __name__ == "__main__":
    main()
