import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader


def collate(rows):
    rows = sorted(rows, key=lambda r: -len(r[0]))
    tokens = pad_sequence([torch.tensor(r[0]) for r in rows], batch_first=True)
    return {
        "tokens": tokens,
        "lengths": torch.tensor([len(r[0]) for r in rows]),
        "labels": torch.tensor([r[1] for r in rows]),
    }


class Tagger(nn.Module):
    def __init__(self, vocab=30, emb=12, hidden=16, classes=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb, padding_idx=0)
        self.rnn = nn.GRU(emb, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, classes)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(self.emb(tokens), lengths.cpu(), batch_first=True)
        output, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return self.out(output.amax(1))


def train(epochs=1):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    rows = [([1 + (i * j) % 29 for j in range(1, 3 + i % 5)], i % 2) for i in range(24)]
    loader = DataLoader(rows, batch_size=6, collate_fn=collate)
    model = Tagger().to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(epochs):
        for batch in loader:
            batch = {key: value.to(device) for key, value in batch.items()}
            logits = model(batch["tokens"], batch["lengths"])
            loss = nn.functional.cross_entropy(logits, batch["labels"])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        print(loss.item())


if __name__ == "__main__":
    train()
