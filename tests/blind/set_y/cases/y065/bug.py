import torch
import torch.nn as nn


def build_vocab(sentences):
    words = sorted({w for s in sentences for w in s.split()})
    return {"<pad>": 0, "<unk>": 1, **{w: i + 2 for i, w in enumerate(words)}}


def fake_glove(words, dim):
    g = torch.Generator().manual_seed(13)
    return {w: torch.randn(dim, generator=g) for w in words if len(w) > 3}


class TextCNN(nn.Module):
    def __init__(self, vocab, vectors, dim=12, channels=8, classes=2):
        super().__init__()
        self.embedding = nn.Embedding(len(vocab), dim, padding_idx=0)
        self.convs = nn.ModuleList(nn.Conv1d(dim, channels, k, padding=k // 2) for k in (3, 5))
        self.fc = nn.Linear(2 * channels, classes)
        self.load_vectors(vocab, vectors)

    def load_vectors(self, vocab, vectors):
        found = 0
        for word, index in vocab.items():
            if word in vectors:
                self.embedding.weight[index] = vectors[word]
                found += 1
        self.coverage = found / len(vocab)

    def forward(self, ids):
        x = self.embedding(ids).transpose(1, 2)
        pooled = [torch.relu(conv(x)).amax(-1) for conv in self.convs]
        return self.fc(torch.cat(pooled, dim=1))


sentences = ["the movie was great fun", "a dull and boring film", "great acting", "boring story with dull scenes"]
labels = torch.tensor([1, 0, 1, 0])
vocab = build_vocab(sentences)
rows = [[vocab.get(w, 1) for w in s.split()] for s in sentences]
width = max(map(len, rows))
ids = torch.tensor([r + [0] * (width - len(r)) for r in rows])

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = TextCNN(vocab, fake_glove(vocab, 12)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(5):
    loss = nn.functional.cross_entropy(model(ids.to(device)), labels.to(device))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"coverage {model.coverage:.2f} loss {loss.item():.4f}")
