# Seq2seq with scheduled sampling: the loss is summed over decoding steps, one backward per batch
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
SOS, EOS, VOCAB, MAXLEN = 0, 1, 14, 7
random.seed(0)


class Encoder(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, h)
        self.gru = nn.GRU(h, h, batch_first=True)

    def forward(self, src):
        return self.gru(self.emb(src))


class AttnDecoder(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, h)
        self.cell = nn.GRUCell(2 * h, h)
        self.out = nn.Linear(2 * h, VOCAB)

    def forward(self, tok, state, memory):
        w = torch.bmm(memory, state.unsqueeze(2)).squeeze(2).softmax(1)
        ctx = torch.bmm(w.unsqueeze(1), memory).squeeze(1)
        state = self.cell(torch.cat([self.emb(tok), ctx], 1), state)
        return self.out(torch.cat([state, ctx], 1)), state, w


def pairs(bs=6):
    src = torch.randint(2, VOCAB, (bs, MAXLEN - 1))
    tgt = torch.cat([src.flip(1), torch.full((bs, 1), EOS)], 1)
    return src.to(device), tgt.to(device)


encoder, decoder = Encoder(24).to(device), AttnDecoder(24).to(device)
optimizers = [torch.optim.Adam(m.parameters(), lr=2e-3) for m in (encoder, decoder)]
history, attention = [], []

for it in range(12):
    src, tgt = pairs()
    teacher = random.random() < 0.6
    memory, h = encoder(src)
    state = h[0]
    tok = torch.full((len(src),), SOS, device=device)
    loss = 0
    step_losses = []
    for t in range(tgt.size(1)):
        logits, state, w = decoder(tok, state, memory)
        step_losses.append(F.cross_entropy(logits, tgt[:, t]))
        loss += step_losses[-1]
        tok = tgt[:, t] if teacher else logits.argmax(1)
        if t == 0:
            attention.append(w.detach().mean(0).cpu())
    spread = torch.stack(step_losses).std()
    loss = loss / tgt.size(1) + 0.01 * spread
    for o in optimizers:
        o.zero_grad()
    loss.backward()
    for o in optimizers:
        o.step()
    history.append(loss.item())
    if it % 4 == 3:
        print(it, sum(history[-4:]) / 4, spread.item())

print("mean attention at the first step", torch.stack(attention).mean(0).tolist())
