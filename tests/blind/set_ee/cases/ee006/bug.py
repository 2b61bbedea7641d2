import random

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader


def synth(n=48, vocab=30):
    rng = random.Random(3)
    out = []
    for _ in range(n):
        length = rng.randint(3, 10)
        out.append(([rng.randint(1, vocab - 1) for _ in range(length)], rng.randint(0, 1)))
    return out


def collate(samples):
    seqs = [torch.tensor(s) for s, _ in samples]
    return {
        "tokens": pad_sequence(seqs, batch_first=True, padding_value=0),
        "lengths": torch.tensor([len(s) for s in seqs]),
        "label": torch.tensor([float(y) for _, y in samples]),
    }


def to_device(batch, device):
    return {k: v.to(device, non_blocking=True) for k, v in batch.items()}


class SentimentLSTM(nn.Module):
    def __init__(self, vocab, emb=16, hidden=24):
        super().__init__()
        self.embed = nn.Embedding(vocab, emb, padding_idx=0)
        self.rnn = nn.LSTM(emb, hidden, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(2 * hidden, 1)

    def forward(self, batch):
        emb = self.embed(batch["tokens"])
        packed = pack_padded_sequence(
            emb, batch["lengths"], batch_first=True, enforce_sorted=False
        )
        _, (h, _) = self.rnn(packed)
        return self.fc(torch.cat([h[-2], h[-1]], dim=1)).squeeze(1)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(synth(), batch_size=8, shuffle=True, collate_fn=collate)
    model = SentimentLSTM(30).to(device)
    optim = torch.optim.Adam(model.parameters())
    criterion = nn.BCEWithLogitsLoss()

    for epoch in range(2):
        model.train()
        correct = 0
        for batch in loader:
            batch = to_device(batch, device)
            logits = model(batch)
            loss = criterion(logits, batch["label"])
            optim.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optim.step()
            correct += ((logits > 0) == (batch["label"] > 0.5)).sum().item()
        print(epoch, correct / 48)


if __name__ == "__main__":
    main()
