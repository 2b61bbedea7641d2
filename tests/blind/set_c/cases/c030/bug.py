import argparse
from typing import Dict, List

import torch
from torch import Tensor, nn


class DualEncoder(nn.Module):
    def __init__(self, vocab: int = 64, dim: int = 16) -> None:
        super().__init__()
        self.q = nn.EmbeddingBag(vocab, dim)
        self.d = nn.EmbeddingBag(vocab, dim)

    def forward(self, query: Tensor, doc: Tensor) -> Tensor:
        return self.q(query) @ self.d(doc).t()


def encode(texts: List[str], length: int = 6) -> Dict[str, Tensor]:
    ids = torch.zeros(len(texts), length, dtype=torch.long)
    for row, text in enumerate(texts):
        for col, word in enumerate(text.split()[:length]):
            ids[row, col] = sum(map(ord, word)) % 63 + 1
    return {"input_ids": ids, "attention_mask": ids.ne(0)}


def train(model, pairs, device, lr=1e-2, steps=3):
    optimizer = torch.optim.Adagrad(model.parameters(), lr=lr)
    for step in range(steps):
        queries = encode([q for q, _ in pairs])
        docs = encode([d for _, d in pairs])
        queries = queries.to(device)
        docs = docs.to(device)
        scores = model(queries["input_ids"], docs["input_ids"])
        loss = nn.functional.cross_entropy(scores, torch.arange(len(pairs), device=device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--cpu", action="store_true")
    args = parser.parse_args(argv)
    device = torch.device("cuda" if torch.cuda.is_available() and not args.cpu else "cpu")
    pairs = [("where is the cat", "the cat is on the mat"), ("best pasta", "boil water add pasta")]
    train(DualEncoder().to(device), pairs, device)


if __name__ == "__main__":
    main()
