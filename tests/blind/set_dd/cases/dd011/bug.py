import random

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

PAD, N_WORDS, N_TAGS = 0, 80, 5


class TaggedSentences(Dataset):
    def __init__(self, n=24):
        rnd = random.Random(3)
        self.rows = []
        for _ in range(n):
            k = rnd.randint(2, 9)
            self.rows.append(([rnd.randrange(1, N_WORDS) for _ in range(k)], [rnd.randrange(N_TAGS) for _ in range(k)]))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        words, tags = self.rows[i]
        return torch.tensor(words), torch.tensor(tags)


def collate(items):
    items.sort(key=lambda pair: -len(pair[0]))
    words, tags = zip(*items)
    return {
        "words": pad_sequence(words, batch_first=True, padding_value=PAD),
        "tags": pad_sequence(tags, batch_first=True, padding_value=-100),
        "lengths": torch.tensor([len(w) for w in words]),
    }


def to_device(batch, device):
    return {k: v.to(device) for k, v in batch.items()}


class BiLSTMTagger(nn.Module):
    def __init__(self, dim=16, hidden=16):
        super().__init__()
        self.embedding = nn.Embedding(N_WORDS, dim, padding_idx=PAD)
        self.rnn = nn.LSTM(dim, hidden, bidirectional=True, batch_first=True)
        self.dropout = nn.Dropout(0.2)
        self.tagger = nn.Linear(2 * hidden, N_TAGS)

    def forward(self, words, lengths):
        emb = self.dropout(self.embedding(words))
        packed = pack_padded_sequence(emb, lengths, batch_first=True)
        out, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return self.tagger(out)


def train_epoch(model, loader, optimizer, criterion, device):
    model.train()
    losses = []
    for batch in loader:
        batch = to_device(batch, device)
        scores = model(batch["words"], batch["lengths"])
        loss = criterion(scores.flatten(0, 1), batch["tags"].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    tagger = BiLSTMTagger().to(device)
    optim = torch.optim.SGD(tagger.parameters(), lr=0.1, momentum=0.9)
    data = DataLoader(TaggedSentences(), batch_size=8, collate_fn=collate)
    for e in range(2):
        print(train_epoch(tagger, data, optim, nn.CrossEntropyLoss(ignore_index=-100), device))
