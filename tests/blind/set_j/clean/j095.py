import torch
import torch.nn as nn

PAD, BOS, EOS = 0, 1, 2


class TinyLM(nn.Module):
    def __init__(self, vocab=15, d=16):
        super().__init__()
        self.emb, self.rnn, self.out = nn.Embedding(vocab, d), nn.GRU(d, d), nn.Linear(d, vocab)

    @property
    def device(self):
        return self.out.weight.device

    def forward(self, ids, h=None):
        y, h = self.rnn(self.emb(ids).transpose(0, 1), h)
        return self.out(y[-1]), h


@torch.no_grad()
def beam_search(model, width=3, max_len=8, alpha=0.7):
    model.eval()
    beams = torch.full((1, 1), BOS, device=model.device)
    scores = torch.zeros(1, device=model.device)
    h, finished = None, []
    for _ in range(max_len):
        logits, h = model(beams[:, -1:], h)
        logp = logits.log_softmax(-1)
        logp[:, PAD] = float("-inf")
        total = (scores[:, None] + logp).flatten()
        scores, flat = total.topk(min(width, total.numel()))
        parent = torch.div(flat, logp.size(1), rounding_mode="floor")
        token = flat % logp.size(1)
        beams = torch.cat([beams[parent], token[:, None]], 1)
        h = h[:, parent].contiguous()
        done = token == EOS
        for seq, s in zip(beams[done].tolist(), scores[done].tolist()):
            finished.append((s / len(seq) ** alpha, seq))
        scores = scores.masked_fill(done, float("-inf"))
        if len(finished) >= width:
            break
    finished += [(s / beams.size(1) ** alpha, b) for s, b in zip(scores.tolist(), beams.tolist())]
    return max(finished)


model = TinyLM()
if torch.cuda.is_available():
    model = model.cuda()
print(beam_search(model))
