import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from text import BOS, PAD


class Encoder(nn.Module):
    def __init__(self, vocab, d):
        super().__init__()
        self.emb, self.rnn = nn.Embedding(vocab, d, padding_idx=PAD), nn.GRU(d, d, batch_first=True)

    def forward(self, src, lengths):
        packed = pack_padded_sequence(self.emb(src), lengths.cpu(), batch_first=True)
        out, h = self.rnn(packed)
        return pad_packed_sequence(out, batch_first=True)[0], h


class Translator(nn.Module):
    def __init__(self, vocab, d=24):
        super().__init__()
        self.encoder = Encoder(vocab, d)
        self.emb, self.cell = nn.Embedding(vocab, d), nn.GRU(2 * d, d, batch_first=True)
        self.out = nn.Linear(2 * d, vocab)

    def step(self, tok, h, memory, keep):
        score = (memory @ h[-1].unsqueeze(-1)).squeeze(-1)
        a = score.masked_fill(~keep, -1e9).softmax(-1)
        ctx = a.unsqueeze(1) @ memory
        y, h = self.cell(torch.cat([self.emb(tok), ctx], -1), h)
        return self.out(torch.cat([y, ctx], -1)), h

    def forward(self, src, lengths, tgt):
        memory, h = self.encoder(src, lengths)
        keep = torch.arange(memory.size(1), device=src.device) < lengths.to(src.device).unsqueeze(1)
        logits = []
        for t in range(tgt.size(1) - 1):
            o, h = self.step(tgt[:, t:t + 1], h, memory, keep)
            logits.append(o)
        return torch.cat(logits, 1)

    @torch.inference_mode()
    def greedy(self, src, lengths, steps):
        memory, h = self.encoder(src, lengths)
        keep = src[:, :memory.size(1)] != PAD
        tok = torch.full((src.size(0), 1), BOS, dtype=torch.long, device=src.device)
        out = []
        for _ in range(steps):
            o, h = self.step(tok, h, memory, keep)
            tok = o.argmax(-1)
            out.append(tok)
        return torch.cat(out, 1)
