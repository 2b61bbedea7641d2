import torch
import torch.nn as nn
import torch.nn.functional as F

PAD, BOS, EOS = 0, 1, 2
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Seq2Seq(nn.Module):
    def __init__(self, vocab=14, dim=24):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=PAD)
        self.enc = nn.GRU(dim, dim, batch_first=True)
        self.dec = nn.GRUCell(dim, dim)
        self.out = nn.Linear(dim, vocab)

    def encode(self, src):
        return self.enc(self.emb(src))[1].squeeze(0)

    def step(self, tok, h):
        h = self.dec(self.emb(tok), h)
        return F.log_softmax(self.out(h), -1), h

    def forward(self, src, tgt, teacher=0.5):
        h, tok, loss = self.encode(src), tgt[:, 0], 0.0
        for t in range(1, tgt.size(1)):
            logp, h = self.step(tok, h)
            loss = loss + F.nll_loss(logp, tgt[:, t], ignore_index=PAD)
            use = torch.rand(len(tok), device=tok.device) < teacher
            tok = torch.where(use, tgt[:, t], logp.detach().argmax(-1))
        return loss / (tgt.size(1) - 1)


@torch.no_grad()
def beam_search(model, src, width=3, max_len=8):
    h = model.encode(src.unsqueeze(0).to(device)).expand(width, -1).contiguous()
    scores = torch.full((width,), float("-inf"), device=device)
    scores[0] = 0
    toks = torch.full((width, 1), BOS, dtype=torch.long, device=device)
    done = []
    for _ in range(max_len):
        logp, h = model.step(toks[:, -1], h)
        total = scores.unsqueeze(1) + logp
        scores, flat = total.view(-1).topk(width)
        beam = torch.div(flat, logp.size(1), rounding_mode="floor")
        toks = torch.cat([toks[beam], (flat % logp.size(1)).unsqueeze(1)], 1)
        h = h[beam]
        ended = toks[:, -1] == EOS
        for s, row in zip(scores[ended].tolist(), toks[ended].tolist()):
            done.append((s / len(row), row))
        scores = scores.masked_fill(ended, float("-inf"))
        if bool(ended.all()):
            break
    done += [(s / toks.size(1), r) for s, r in zip(scores.tolist(), toks.tolist())]
    return max(done)[1]


def batch(n=16, L=5):
    src = torch.randint(3, 14, (n, L))
    tgt = torch.cat([torch.full((n, 1), BOS), src.flip(1), torch.full((n, 1), EOS)], 1)
    return src.to(device), tgt.to(device)


model = Seq2Seq().to(device)
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for it in range(15):
    src, tgt = batch()
    loss = model(src, tgt, teacher=1 - it / 30)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
model.eval()
print(float(loss.detach()), beam_search(model, torch.tensor([3, 4, 5, 6, 7])))
