import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
X = torch.rand(96, 16)
Y = X[:, :3].argmax(1)
train_dl = DataLoader(TensorDataset(X[:64], Y[:64]), batch_size=16, shuffle=True)
test_dl = DataLoader(TensorDataset(X[64:], Y[64:]), batch_size=16)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 3)).to(device)


def train(epochs=3):
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    model.train()
    for _ in range(epochs):
        for x, y in train_dl:
            x, y = x.to(device), y.to(device)
            opt.zero_grad()
            F.cross_entropy(model(x), y).backward()
            opt.step()


def evaluate_robustness(loader, eps=0.03):
    """Accuracy on FGSM examples."""
    model.eval()
    correct = total = 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        x.requires_grad_(True)
        loss = F.cross_entropy(model(x), y)
        grad, = torch.autograd.grad(loss, x)
        with torch.no_grad():
            adv = (x + eps * grad.sign()).clamp(0, 1)
            correct += (model(adv).argmax(1) == y).sum().item()
        total += y.numel()
    return correct / total


train()
print("robust accuracy", evaluate_robustness(test_dl))
