import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class LanguageModel(nn.Module):
    def __init__(self, vocab=32, dim=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.LSTM(dim, dim, batch_first=True)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        h, _ = self.rnn(self.drop(self.embed(ids)))
        return self.out(h)


def lm_loss(model, ids, reduction="mean"):
    logits = model(ids[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), reduction=reduction)


def perplexity(model, corpus, device, batch_size=8):
    was_training = model.training
    model.eval()
    total, count = 0.0, 0
    for ids in corpus.split(batch_size):
        ids = ids.to(device)
        total += lm_loss(model, ids, reduction="sum").item()
        count += ids[:, 1:].numel()
    model.train(was_training)
    return math.exp(total / count)


def train_epoch(model, corpus, optimizer, device, batch_size=8):
    for ids in corpus[torch.randperm(len(corpus))].split(batch_size):
        optimizer.zero_grad()
        loss = lm_loss(model, ids.to(device))
        loss.backward()
        optimizer.step()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    corpus = torch.randint(0, 32, (48, 12))
    model = LanguageModel().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(3):
        train_epoch(model, corpus[:32], optimizer, device)
        print(epoch, round(perplexity(model, corpus[32:], device), 2))


if __name__ == "__main__":
    main()
