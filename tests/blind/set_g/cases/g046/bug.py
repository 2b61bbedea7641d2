import torch
import torch.nn as nn

VOCAB = {"<pad>": 0, "good": 1, "awful": 2, "movie": 3, "plot": 4, "great": 5, "dull": 6}
POSITIVE = {"good", "great"}
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def encode(sentences, length=4):
    rows, labels = [], []
    for s in sentences:
        words = s.split()[:length]
        rows.append([VOCAB[w] for w in words] + [0] * (length - len(words)))
        labels.append(float(any(w in POSITIVE for w in words)))
    return torch.tensor(rows, device=device), torch.tensor(labels, device=device)


class TextCNN(nn.Module):
    def __init__(self, vocab, dim=8, filters=6):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.convs = nn.ModuleList([nn.Conv1d(dim, filters, k) for k in (1, 2, 3)])
        self.fc = nn.Linear(filters * 3, 1)

    def forward(self, ids):
        x = self.emb(ids).transpose(1, 2)
        pooled = [conv(x).relu().amax(-1) for conv in self.convs]
        return self.fc(torch.cat(pooled, 1)).squeeze(1)


def train_step(model, optimizer, ids, labels):
    model.train()
    loss = nn.functional.binary_cross_entropy_with_logits(model(ids), labels)
    loss.backward()
    nn.utils.clip_grad_value_(model.parameters(), 5.0)
    optimizer.step()
    return loss.item()


model = TextCNN(len(VOCAB)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
corpus = ["good movie", "awful plot", "great plot", "dull movie", "good plot", "awful movie"]

for epoch in range(3):
    total = 0.0
    for i in range(0, len(corpus), 2):
        ids, labels = encode(corpus[i:i + 2])
        total += train_step(model, optimizer, ids, labels)
    print(f"epoch {epoch}: {total / 3:.4f}")
