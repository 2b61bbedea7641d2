import random

import torch
import torch.nn as nn
import torch.nn.functional as F

PAD, SOS, EOS = 0, 1, 2
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Encoder(nn.Module):
    def __init__(self, vocab, hidden):
        super().__init__()
        self.emb = nn.Embedding(vocab, hidden, padding_idx=PAD)
        self.rnn = nn.GRU(hidden, hidden)

    def forward(self, src):
        out, h = self.rnn(self.emb(src.t()))
        return out.transpose(0, 1), h


class AttnDecoder(nn.Module):
    def __init__(self, vocab, hidden):
        super().__init__()
        self.emb = nn.Embedding(vocab, hidden, padding_idx=PAD)
        self.cell = nn.GRUCell(hidden * 2, hidden)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, tok, h, memory):
        w = torch.softmax((memory @ h.unsqueeze(2)).squeeze(2), dim=1)
        ctx = (w.unsqueeze(1) @ memory).squeeze(1)
        h = self.cell(torch.cat([self.emb(tok), ctx], 1), h)
        return self.out(h), h


class Seq2Seq(nn.Module):
    def __init__(self, vocab, hidden=24):
        super().__init__()
        self.encoder, self.decoder = Encoder(vocab, hidden), AttnDecoder(vocab, hidden)

    def forward(self, src, tgt, teacher_forcing=0.5):
        memory, h = self.encoder(src)
        h = h[0]
        tok = torch.full((src.size(0),), SOS, device=src.device)
        logits = []
        for t in range(tgt.size(1)):
            step, h = self.decoder(tok, h, memory)
            logits.append(step)
            tok = tgt[:, t] if random.random() < teacher_forcing else step.argmax(1)
        return torch.stack(logits, 1)


def make_batch(bs=8, length=6, vocab=20):
    src = torch.randint(3, vocab, (bs, length))
    tgt = torch.cat([src.flip(1), torch.full((bs, 1), EOS)], 1)
    return src.to(device), tgt.to(device)


model = Seq2Seq(20).to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(3):
    src, tgt = make_batch()
    logits = model(src, tgt, teacher_forcing=max(0.1, 1 - 0.3 * step))
    loss = F.cross_entropy(logits.flatten(0, 1), tgt.flatten(), ignore_index=PAD)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
print("loss", loss.item())
