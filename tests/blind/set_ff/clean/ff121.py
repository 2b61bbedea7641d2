import random

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence


class Encoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.GRU(dim, dim, batch_first=True)

    def forward(self, src, lengths):
        packed = pack_padded_sequence(self.emb(src), lengths.cpu(), batch_first=True, enforce_sorted=False)
        return self.rnn(packed)[1]


class Decoder(nn.Module):
    BOS, EOS = 1, 2

    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.cell = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, hidden, target, forcing):
        token = target.new_full((target.size(0), 1), self.BOS)
        logits = []
        for t in range(target.size(1)):
            step, hidden = self.cell(self.emb(token), hidden)
            logit = self.out(step)
            logits.append(logit)
            token = target[:, t:t + 1] if random.random() < forcing else logit.argmax(-1)
        return torch.cat(logits, 1)

    @torch.no_grad()
    def decode(self, hidden, limit):
        n = hidden.size(1)
        token = torch.full((n, 1), self.BOS, dtype=torch.long, device=hidden.device)
        done = torch.zeros(n, dtype=torch.bool, device=hidden.device)
        out = []
        for _ in range(limit):
            step, hidden = self.cell(self.emb(token), hidden)
            token = self.out(step).argmax(-1)
            done |= token.squeeze(1) == self.EOS
            out.append(token)
            if done.all():
                break
        return torch.cat(out, 1)


class Seq2Seq(nn.Module):
    def __init__(self, vocab=20, dim=24):
        super().__init__()
        self.encoder, self.decoder = Encoder(vocab, dim), Decoder(vocab, dim)

    def forward(self, src, lengths, target, forcing=0.5):
        return self.decoder(self.encoder(src, lengths), target, forcing)


def reverse_task(n, vocab=20):
    rows = [torch.randint(3, vocab, (random.randint(3, 7),)) for _ in range(n)]
    src = pad_sequence(rows, batch_first=True)
    tgt = pad_sequence([torch.cat([r.flip(0), r.new_tensor([2])]) for r in rows], batch_first=True)
    return src, torch.tensor([len(r) for r in rows]), tgt


def main():
    random.seed(0)
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Seq2Seq().to(device)
    criterion = nn.CrossEntropyLoss(ignore_index=0)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(4):
        src, lengths, tgt = [t.to(device) for t in reverse_task(8)]
        loss = criterion(model(src, lengths, tgt).flatten(0, 1), tgt.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, f"{loss.item():.3f}")
    model.eval()
    src, lengths, _ = [t.to(device) for t in reverse_task(2)]
    with torch.no_grad():
        hidden = model.encoder(src, lengths)
    print(model.decoder.decode(hidden, 8).tolist())


if __name__ == "__main__":
    main()
