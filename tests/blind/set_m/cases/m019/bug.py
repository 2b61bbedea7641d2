import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader


def make_corpus(n=32):
    return [(torch.randint(1, 50, (int(torch.randint(3, 12, (1,))),)), i % 2) for i in range(n)]


def collate(items):
    seqs, labels = zip(*items)
    lengths = torch.tensor([len(s) for s in seqs])
    return {"ids": pad_sequence(seqs, batch_first=True), "lengths": lengths, "labels": torch.tensor(labels)}


class SentimentLSTM(nn.Module):
    def __init__(self, vocab=50, dim=16, hidden=24):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(2 * hidden, 2)

    def forward(self, ids, lengths):
        emb = self.embedding(ids)
        packed = pack_padded_sequence(emb, lengths, batch_first=True, enforce_sorted=False)
        _, (h, _) = self.lstm(packed)
        return self.fc(torch.cat([h[0], h[1]], dim=-1))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SentimentLSTM().to(device)
    optim = torch.optim.Adam(model.parameters())
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(2):
        for batch in DataLoader(make_corpus(), batch_size=8, shuffle=True, collate_fn=collate):
            batch = {k: v.to(device) for k, v in batch.items()}
            logits = model(batch["ids"], batch["lengths"])
            loss = loss_fn(logits, batch["labels"])
            optim.zero_grad()
            loss.backward()
            optim.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
