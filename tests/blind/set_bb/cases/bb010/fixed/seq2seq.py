import math
import torch
import torch.nn as nn
import masks


class Attend(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x, mem, bias=None, pad=None):
        s = self.q(x) @ self.k(mem).transpose(1, 2) / math.sqrt(x.size(-1))
        if bias is not None:
            s = s + bias
        if pad is not None:
            s = s.masked_fill(pad.unsqueeze(1), -1e9)
        return s.softmax(-1) @ self.v(mem)


class Seq2Seq(nn.Module):
    def __init__(self, vocab, d=16):
        super().__init__()
        self.src, self.tgt = nn.Embedding(vocab, d), nn.Embedding(vocab, d)
        self.enc, self.self_att, self.cross = Attend(d), Attend(d), Attend(d)
        self.out = nn.Linear(d, vocab)

    def encode(self, src):
        e = self.src(src)
        return e + self.enc(e, e, pad=masks.padding(src))

    def decode(self, tgt, memory, src_pad):
        t = self.tgt(tgt)
        t = t + self.self_att(t, t, bias=masks.causal(tgt.size(1), t))
        return self.out(t + self.cross(t, memory, pad=src_pad))

    def forward(self, src, tgt):
        return self.decode(tgt, self.encode(src), masks.padding(src))
