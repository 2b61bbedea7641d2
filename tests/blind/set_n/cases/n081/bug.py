import math
import torch
from torch import nn


class TextCNN(nn.Module):
    def __init__(self, vocab=25, dim=12, k=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.conv = nn.Conv1d(dim, dim, k)
        self.pad = k - 1
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):
        x = nn.functional.pad(self.emb(ids).mT, (self.pad, 0))
        return self.head(self.conv(x).relu().mT)


def corpus(n, seed=1):
    g = torch.Generator().manual_seed(seed)
    return [torch.randint(0, 25, (4, 11), generator=g) for _ in range(n)]


def nll(model, ids):
    logits = model(ids[:, :-1])
    return nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


def perplexity(model, batches, device):
    model.eval()
    torch.no_grad()
    losses = [nll(model, ids.to(device)).item() for ids in batches]
    return math.exp(sum(losses) / len(losses))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = TextCNN().to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(2):
    model.train()
    for ids in corpus(4):
        loss = nll(model, ids.to(device))
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, perplexity(model, corpus(2, seed=9), device))
