import torch
import torch.nn as nn
import torch.nn.functional as F


class TextClassifier(nn.Module):
    def __init__(self, vocab=50, dim=16, classes=4):
        super().__init__()
        self.emb = nn.EmbeddingBag(vocab, dim, mode="mean")
        self.fc = nn.Linear(dim, classes)

    def forward(self, ids):
        return self.fc(self.emb(ids))


def fgm_perturb(weight, epsilon=0.5):
    norm = weight.grad.norm()
    delta = epsilon * weight.grad / (norm + 1e-12)
    with torch.no_grad():
        weight.add_(delta)
    return delta


def train(model, iters=100, lr=1e-2):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device).train()
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    for it in range(iters):
        ids = torch.randint(0, 50, (8, 12), device=device)
        label = torch.randint(0, 4, (8,), device=device)
        loss = F.cross_entropy(model(ids), label)
        loss.backward()
        delta = fgm_perturb(model.emb.weight)
        adv = F.cross_entropy(model(ids), label)
        adv.backward()
        with torch.no_grad():
            model.emb.weight.sub_(delta)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.zero_grad()
        optimizer.step()
        if it % 20 == 0:
            print(it, loss.item(), adv.item())


if __name__ == "__main__":
    train(TextClassifier())
