import io

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

GLOVE = "the 0.1 0.2 0.3 0.4\ncat -0.3 0.1 0.9 0.0\nsat 0.7 -0.2 0.1 0.5\nmat 0.2 0.2 -0.6 0.8\n"


class Vocab:
    def __init__(self, words):
        self.itos = ["<pad>", "<unk>", *sorted(set(words))]
        self.stoi = {w: i for i, w in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def encode(self, text, width):
        ids = [self.stoi.get(w, 1) for w in text.split()][:width]
        return ids + [0] * (width - len(ids))


def read_vectors(stream):
    for line in stream:
        word, *rest = line.split()
        yield word, np.array(rest, dtype=np.float32)


class BiLSTM(nn.Module):
    def __init__(self, vocab, dim=4, hidden=12, classes=2):
        super().__init__()
        self.vocab = vocab
        self.embedding = nn.Embedding(len(vocab), dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(hidden * 2, classes)

    def load_vectors(self, stream):
        found = 0
        table = self.embedding.weight.detach()
        for word, vec in read_vectors(stream):
            i = self.vocab.stoi.get(word)
            if i is not None:
                table[i] = torch.from_numpy(vec)
                found += 1
        return found

    def forward(self, ids):
        out, _ = self.lstm(self.embedding(ids))
        return self.fc(out.mean(dim=1))


def main():
    texts = ["the cat sat", "a dog sat on the mat", "the mat", "dog and cat"]
    labels = [1, 0, 0, 1]
    vocab = Vocab(w for t in texts for w in t.split())
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = BiLSTM(vocab)
    print("pretrained vectors:", model.load_vectors(io.StringIO(GLOVE)))
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    x = torch.tensor([vocab.encode(t, 6) for t in texts], device=device)
    y = torch.tensor(labels, device=device)
    for epoch in range(3):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
