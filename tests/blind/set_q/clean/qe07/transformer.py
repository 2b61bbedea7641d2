import math

import torch
import torch.nn as nn


def subsequent_mask(n, device):
    return torch.triu(torch.ones(n, n, dtype=torch.bool, device=device), 1)


class EncoderDecoder(nn.Module):
    def __init__(self, vocab, d=24, max_len=32):
        super().__init__()
        self.emb = nn.Embedding(vocab, d, padding_idx=0)
        pos = torch.arange(max_len).unsqueeze(1) * torch.exp(torch.arange(0, d, 2) * -(math.log(1e4) / d))
        pe = torch.zeros(max_len, d)
        pe[:, 0::2], pe[:, 1::2] = pos.sin(), pos.cos()
        self.register_buffer("pe", pe, persistent=False)
        self.core = nn.Transformer(d, 2, 1, 1, 48, dropout=0.0, batch_first=True)
        self.out = nn.Linear(d, vocab, bias=False)
        self.out.weight = self.emb.weight
        self.d = d

    def embed(self, ids):
        return self.emb(ids) * math.sqrt(self.d) + self.pe[:ids.size(1)]

    def forward(self, src, tgt, src_pad, causal):
        h = self.core(self.embed(src), self.embed(tgt), tgt_mask=causal,
                      src_key_padding_mask=src_pad, memory_key_padding_mask=src_pad)
        return self.out(h).log_softmax(-1)

    @torch.no_grad()
    def greedy(self, src, n):
        ys = torch.full((1, 1), 1).type_as(src)
        for _ in range(n - 1):
            out = self(src, ys, src == 0, subsequent_mask(ys.size(1), src.device))
            ys = torch.cat([ys, out[:, -1:].argmax(-1)], 1)
        return ys
