import torch
import torch.nn as nn


class Captioned(nn.Module):
    def __init__(self, vocab=40, dim=10, classes=4):
        super().__init__()
        self.words = nn.Embedding(vocab, dim)
        self.encoder = nn.GRU(dim, 12, batch_first=True)
        self.classify = nn.Linear(12, classes)

    def encode(self, vectors):
        _, last = self.encoder(vectors)
        return self.classify(last[0])

    def forward(self, ids):
        return self.encode(self.words(ids))


def train(model, device, steps=6):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    model.train()
    for _ in range(steps):
        ids = torch.randint(40, (16, 8), device=device)
        loss = nn.functional.cross_entropy(model(ids), ids[:, 0] % 4)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def importance(model, ids, label):
    """Gradient norm of the label's score for each word."""
    model.zero_grad()
    vectors = model.words(ids.unsqueeze(0))
    vectors.retain_grad()
    score = model.encode(vectors)[0, label]
    score.backward()
    return vectors.grad.norm(dim=-1).squeeze(0)


def explain(model, device, vocabulary):
    ids = torch.randint(len(vocabulary), (6,), device=device)
    with torch.no_grad():
        label = model(ids.unsqueeze(0)).argmax(dim=1).item()
    weights = importance(model, ids, label)
    weights = weights / weights.sum()
    for i, w in zip(ids.tolist(), weights.tolist()):
        print(f"{vocabulary[i]:>8} {w:.2f}")


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Captioned().to(device)
    train(model, device)
    explain(model, device, [f"word{i}" for i in range(40)])


if __name__ == "__main__":
    main()
