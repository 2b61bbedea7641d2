import torch
import torch.nn as nn
import torch.nn.functional as F

from embeddings import initialise, load_vectors

SENTENCES = ["good film", "bad film", "very good plot", "very bad acting"]
LABELS = [1, 0, 1, 0]


class BagOfWords(nn.Module):
    def __init__(self, vocab, dim=10):
        super().__init__()
        self.emb = nn.Embedding(len(vocab), dim)
        self.fc = nn.Linear(dim, 2)

    def forward(self, ids):
        return self.fc(self.emb(ids).mean(0))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    words = sorted({w for s in SENTENCES for w in s.split()})
    vocab = {w: i for i, w in enumerate(words)}
    model = BagOfWords(vocab)
    hits = initialise(model.emb, vocab, load_vectors(words, 10))
    print(f"{hits}/{len(vocab)} vectors found")
    model.to(device)
    opt = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(2):
        for sentence, label in zip(SENTENCES, LABELS):
            ids = torch.tensor([vocab[w] for w in sentence.split()], device=device)
            loss = F.cross_entropy(model(ids), torch.tensor(label, device=device))
            opt.zero_grad()
            loss.backward()
            opt.step()


if __name__ == "__main__":
    main()
