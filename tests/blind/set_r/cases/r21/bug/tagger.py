import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence

from collate import collate, to_device


class SentenceEncoder(nn.Module):
    def __init__(self, vocab, dim=12, hidden=10):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.GRU(dim, hidden, batch_first=True)

    def forward(self, ids, lengths):
        x = self.embed(ids)
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        return self.rnn(packed)[1].squeeze(0)


class Tagger(nn.Module):
    def __init__(self, vocab, n_class):
        super().__init__()
        self.encoder = SentenceEncoder(vocab)
        self.head = nn.Linear(10, n_class)

    def forward(self, ids, lengths):
        return self.head(self.encoder(ids, lengths))


class Trainer:
    def __init__(self, vocab, n_class, device):
        self.device = torch.device(device)
        self.model = Tagger(vocab, n_class).to(self.device)
        self.optimizer = torch.optim.Adam(self.model.parameters())

    def step(self, samples):
        batch = to_device(collate(samples), self.device)
        scores = self.model(batch["ids"], batch["lengths"])
        loss = F.cross_entropy(scores, batch["labels"])
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()
