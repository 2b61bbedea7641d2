import torch
import torch.nn as nn


class TextCNN(nn.Module):
    def __init__(self, vocab=60, dim=12, classes=3):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim)
        self.conv = nn.Conv1d(dim, 10, 3, padding=1)
        self.fc = nn.Linear(10, classes)

    def from_vectors(self, vectors):
        h = torch.relu(self.conv(vectors.transpose(1, 2)))
        return self.fc(h.amax(dim=2))

    def forward(self, ids):
        return self.from_vectors(self.embedding(ids))


def token_scores(model, ids, label):
    vectors = model.embedding(ids)
    vectors.retain_grad()
    logits = model.from_vectors(vectors)
    logits[torch.arange(len(ids)), label].sum().backward()
    return (vectors.grad * vectors.detach()).sum(dim=-1)


def smooth_scores(model, ids, label, rounds=4, noise=0.1):
    base = model.embedding(ids).detach()
    total = torch.zeros_like(base)
    for _ in range(rounds):
        noisy = (base + noise * torch.randn_like(base)).requires_grad_(True)
        score = model.from_vectors(noisy)[torch.arange(len(ids)), label].sum()
        score.backward()
        total += noisy.grad
    model.zero_grad()
    return (total / rounds * base).sum(dim=-1)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TextCNN().to(device).eval()
    ids = torch.randint(60, (4, 9), device=device)
    with torch.no_grad():
        label = model(ids).argmax(dim=1)
    plain = token_scores(model, ids, label)
    model.zero_grad()
    smooth = smooth_scores(model, ids, label)
    print(plain.topk(3).indices.tolist())
    print(smooth.topk(3).indices.tolist())


if __name__ == "__main__":
    main()
