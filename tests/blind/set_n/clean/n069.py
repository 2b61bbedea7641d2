import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, vocab=20, dim=16):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.q, self.kv = nn.Linear(dim, dim), nn.Linear(dim, 2 * dim)
        self.head = nn.Linear(dim, vocab)

    def forward(self, token, cache=None):
        x = self.emb(token).unsqueeze(1)
        k, v = self.kv(x).chunk(2, -1)
        if cache is not None:
            k, v = torch.cat([cache[0], k], 1), torch.cat([cache[1], v], 1)
        att = (self.q(x) @ k.mT / k.size(-1) ** 0.5).softmax(-1)
        return self.head((att @ v).squeeze(1)), (k, v)


@torch.no_grad()
def beam_search(model, bos, eos, beams=3, steps=6):
    device = next(model.parameters()).device
    tokens = torch.full((beams, 1), bos, device=device)
    scores = torch.full((beams,), float("-inf"), device=device)
    scores[0] = 0.0
    done = torch.zeros(beams, dtype=torch.bool, device=device)
    cache = None
    for _ in range(steps):
        logits, cache = model(tokens[:, -1], cache)
        logp = logits.log_softmax(-1)
        frozen = torch.full_like(logp, float("-inf"))
        frozen[:, eos] = 0.0
        logp = torch.where(done[:, None], frozen, logp)
        total = (scores[:, None] + logp).flatten()
        scores, flat = total.topk(beams)
        parent, nxt = flat // logp.size(1), flat % logp.size(1)
        tokens = torch.cat([tokens[parent], nxt[:, None]], 1)
        done = done[parent] | nxt.eq(eos)
        cache = tuple(c.index_select(0, parent) for c in cache)
        if done.all():
            break
    return tokens[0].tolist(), scores[0].item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Decoder().to(device).eval()
print(beam_search(model, bos=1, eos=2))
