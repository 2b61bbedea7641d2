import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def length_mask(lengths, n):
    return torch.arange(n, device=lengths.device)[None, :] < lengths[:, None]


class Seq2Seq(nn.Module):
    def __init__(self, vocab, dim=12):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.enc = nn.GRU(dim, dim, batch_first=True)
        self.dec = nn.GRUCell(2 * dim, dim)
        self.out = nn.Linear(dim, vocab)

    def encode(self, src, lengths):
        packed = pack_padded_sequence(self.emb(src), lengths.cpu(), batch_first=True, enforce_sorted=False)
        states, h = self.enc(packed)
        states, _ = pad_packed_sequence(states, batch_first=True, total_length=src.size(1))
        return states, h[-1]

    def attend(self, h, states, mask):
        scores = torch.einsum("bd,bnd->bn", h, states)
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        return torch.einsum("bn,bnd->bd", scores.softmax(-1), states)

    def forward(self, src, lengths, tgt):
        states, h = self.encode(src, lengths)
        mask = length_mask(lengths.to(src.device), src.size(1))
        logits = []
        for token in tgt.unbind(1):
            h = self.dec(torch.cat([self.emb(token), self.attend(h, states, mask)], dim=-1), h)
            logits.append(self.out(h))
        return torch.stack(logits, dim=1)

    @torch.no_grad()
    def translate(self, src, lengths, max_len=4, bos=1):
        states, h = self.encode(src, lengths)
        mask = length_mask(lengths.to(src.device), src.size(1))
        token = torch.full_like(src[:, 0], bos)
        result = []
        for _ in range(max_len):
            h = self.dec(torch.cat([self.emb(token), self.attend(h, states, mask)], dim=-1), h)
            token = self.out(h).argmax(-1)
            result.append(token.tolist())
        return list(zip(*result))


def train_step(model, optimizer, src, lengths, tgt):
    device = next(model.parameters()).device
    src, tgt = src.to(device), tgt.to(device)
    logits = model(src, lengths, tgt[:, :-1])
    loss = nn.functional.cross_entropy(logits.transpose(1, 2), tgt[:, 1:], ignore_index=0)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
