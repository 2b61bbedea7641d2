import contextlib

import torch
import torch.nn as nn


@contextlib.contextmanager
def frozen(model):
    """Gradients off and evaluation mode, whatever was set before comes back."""
    enabled, training = torch.is_grad_enabled(), model.training
    torch.set_grad_enabled(False)
    model.eval()
    try:
        yield model
    finally:
        model.train(training)
        torch.set_grad_enabled(enabled)


def grad_mode(training):
    return contextlib.nullcontext() if training else torch.no_grad()


def run(model, batches, optimizer=None):
    total = 0.0
    with grad_mode(optimizer is not None):
        for x, y in batches:
            loss = nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y)
            if optimizer is not None:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            total += loss.item()
    return total / len(batches)


@torch.no_grad()
def jitter(model, scale):
    for p in model.parameters():
        p.add_(scale * torch.randn_like(p))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 1)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
train = [(torch.randn(10, 5, device=device), torch.rand(10, device=device).round()) for _ in range(4)]
for epoch in range(3):
    fitted = run(model, train, optimizer)
    with frozen(model) as fixed:
        held = run(fixed, train[:1])
        spread = fixed(train[0][0]).std().item()
    print(epoch, fitted, held, spread)
jitter(model, 1e-3)
print(run(model, train, optimizer))
