"""Text retrieval with an evaluator that ranks a corpus."""
from typing import Dict, List

import torch
from torch import nn
import torch.nn.functional as F


class BagEncoder(nn.Module):
    def __init__(self, vocab=60, dim=16):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab, dim)
        self.fc = nn.Linear(dim, dim)

    def forward(self, ids):
        return F.normalize(self.fc(self.bag(ids)), dim=-1)


class Evaluator:
    def __init__(self, queries: torch.Tensor, corpus: torch.Tensor, ks=(1, 5)):
        self.queries, self.corpus, self.ks = queries, corpus, ks

    def encode(self, model, rows, batch=16):
        parts: List[torch.Tensor] = []
        for chunk in rows.split(batch):
            parts.append(model(chunk))
        return torch.cat(parts)

    def __call__(self, model) -> Dict[str, float]:
        was_training = model.training
        model.eval()
        scores = self.encode(model, self.queries) @ self.encode(model, self.corpus).t()
        order = scores.argsort(dim=1, descending=True)
        gold = torch.arange(order.size(0)).unsqueeze(1)
        rank = (order == gold).float().argmax(dim=1)
        model.train(was_training)
        return {f"recall@{k}": (rank < k).float().mean().item() for k in self.ks}


def train(model, docs, evaluator, epochs=2):
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(epochs):
        model.train()
        for chunk in docs.split(16):
            noisy = chunk[:, torch.randperm(chunk.size(1))[:5]]
            logits = model(noisy) @ model(chunk).t() / 0.1
            loss = F.cross_entropy(logits, torch.arange(len(chunk)))
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, evaluator(model))


model = BagEncoder()
docs = torch.randint(0, 60, (48, 8))
evaluator = Evaluator(docs[:, :6], docs)
train(model, docs, evaluator)
