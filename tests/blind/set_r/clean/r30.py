import torch
import torch.nn as nn
import torch.nn.functional as F


def fgsm(model, x, y, eps):
    x = x.clone().requires_grad_(True)
    loss = F.cross_entropy(model(x), y)
    (grad,) = torch.autograd.grad(loss, x)
    return (x + eps * grad.sign()).detach()


def evaluate(model, batches, device, eps=0.1):
    """Accuracy on the inputs as they are and on attacked ones."""
    model.eval()
    clean = robust = n = 0
    for x, y in batches:
        x, y = x.to(device), y.to(device)
        attacked = fgsm(model, x, y, eps)
        with torch.no_grad():
            clean += (model(x).argmax(1) == y).sum().item()
            robust += (model(attacked).argmax(1) == y).sum().item()
        n += len(y)
    return clean / n, robust / n


def run_phase(model, batches, device, optimizer=None):
    training = optimizer is not None
    model.train(training)
    total = 0.0
    with torch.set_grad_enabled(training):
        for x, y in batches:
            loss = F.cross_entropy(model(x.to(device)), y.to(device))
            if training:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            total += loss.item()
    return total / len(batches)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 3)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    make = lambda: [(torch.randn(16, 8), torch.randint(0, 3, (16,))) for _ in range(3)]
    train, val = make(), make()
    for epoch in range(2):
        print(epoch, run_phase(model, train, device, optimizer), run_phase(model, val, device))
    print(evaluate(model, val, device))


if __name__ == "__main__":
    main()
