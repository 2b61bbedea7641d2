"""Question answering worker: tokenizer output, model and answer decoding in one class hierarchy."""
from collections import UserDict

import torch
from torch import nn


class Encoding(UserDict):
    """Dictionary of tensors with a few conveniences."""

    def to(self, device):
        self.data = {k: v.to(device) if torch.is_tensor(v) else v for k, v in self.data.items()}
        return self

    def __getattr__(self, item):
        try:
            return self.__dict__["data"][item]
        except KeyError:
            raise AttributeError(item) from None


class WordTokenizer:
    def __init__(self):
        self.ids = {"<pad>": 0}

    def __call__(self, question, context):
        words = question.split() + context.split()
        ids = [self.ids.setdefault(w, len(self.ids)) % 40 for w in words]
        n = len(question.split())
        return Encoding(input_ids=torch.tensor([ids]), token_type=torch.tensor([[0] * n + [1] * (len(ids) - n)]), words=words)


class PretrainedBase(nn.Module):
    @property
    def device(self):
        return next(self.parameters()).device

    def num_parameters(self):
        return sum(p.numel() for p in self.parameters())


class SpanModel(PretrainedBase):
    def __init__(self, vocab=40, dim=16):
        super().__init__()
        self.word = nn.Embedding(vocab, dim)
        self.kind = nn.Embedding(2, dim)
        self.layer = nn.TransformerEncoderLayer(dim, 2, 32, dropout=0.0, batch_first=True)
        self.span = nn.Linear(dim, 2)

    def forward(self, input_ids, token_type):
        h = self.layer(self.word(input_ids) + self.kind(token_type))
        start, end = self.span(h).unbind(-1)
        outside = token_type == 0
        return start.masked_fill(outside, -1e9), end.masked_fill(outside, -1e9)


class QAWorker:
    def __init__(self, model, tokenizer):
        self.model = model.eval()
        self.tokenizer = tokenizer

    @torch.no_grad()
    def answer(self, question, context):
        enc = self.tokenizer(question, context).to(self.model.device)
        start, end = self.model(input_ids=enc.input_ids, token_type=enc["token_type"])
        scores = start[0][:, None] + end[0][None]
        ok = torch.ones_like(scores, dtype=torch.bool).triu().tril(4)
        best = scores.masked_fill(~ok, float("-inf")).flatten().argmax().item()
        i, j = divmod(best, scores.size(1))
        return " ".join(enc.words[i:j + 1])


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    worker = QAWorker(SpanModel().to(device), WordTokenizer())
    print(worker.model.num_parameters(), "weights on", worker.model.device)
    print(worker.answer("who wrote it", "the long report was written by anna in june"))
