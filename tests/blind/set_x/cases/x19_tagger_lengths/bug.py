"""Bi-LSTM tagger over padded batches."""
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader

PAD, VOCAB, TAGS = 0, 25, 4


def collate(rows):
    words = pad_sequence([r[0] for r in rows], batch_first=True, padding_value=PAD)
    tags = pad_sequence([r[1] for r in rows], batch_first=True, padding_value=-100)
    return {"words": words, "tags": tags}


class Tagger(nn.Module):
    def __init__(self, dim=12):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, dim, padding_idx=PAD)
        self.lstm = nn.LSTM(dim, dim, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * dim, TAGS)

    @staticmethod
    def lengths_of(words):
        return (words != PAD).sum(dim=1)

    def forward(self, words):
        lengths = self.lengths_of(words)
        packed = pack_padded_sequence(
            self.embed(words), lengths, batch_first=True, enforce_sorted=False
        )
        hidden, _ = self.lstm(packed)
        hidden, _ = pad_packed_sequence(hidden, batch_first=True, total_length=words.size(1))
        return self.out(hidden)


class TaggerTrainer:
    def __init__(self, model, lr=1e-2):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.criterion = nn.CrossEntropyLoss(ignore_index=-100)

    def _to_device(self, batch):
        return {name: value.to(self.device) for name, value in batch.items()}

    def train(self, loader, epochs=1):
        self.model.train()
        for _ in range(epochs):
            for batch in map(self._to_device, loader):
                logits = self.model(batch["words"])
                loss = self.criterion(logits.flatten(0, 1), batch["tags"].flatten())
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()


if __name__ == "__main__":
    corpus = []
    for n in (3, 5, 2, 7, 4, 6):
        words = torch.randint(1, VOCAB, (n,))
        corpus.append((words, words % TAGS))
    TaggerTrainer(Tagger()).train(DataLoader(corpus, batch_size=3, collate_fn=collate, shuffle=True))
