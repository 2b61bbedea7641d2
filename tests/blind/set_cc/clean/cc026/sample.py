import torch
from torch import nn

from cache import KVCache
from rope import rotate


class Decoder(nn.Module):
    def __init__(self, vocab=40, dim=16, heads=2):
        super().__init__()
        self.heads = heads
        self.embed = nn.Embedding(vocab, dim)
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids, cache):
        b, t = ids.shape
        qkv = self.qkv(self.embed(ids)).view(b, t, 3, self.heads, -1)
        q, k, v = (z.transpose(1, 2) for z in qkv.unbind(2))
        pos = torch.arange(cache.length, cache.length + t, device=ids.device)
        q, k = rotate(q, pos), rotate(k, pos)
        k, v = cache.append(k, v)
        seen = torch.arange(k.shape[2], device=ids.device)
        score = (q @ k.transpose(-1, -2)).masked_fill(seen[None, :] > pos[:, None], float("-inf"))
        y = score.softmax(-1) @ v
        return self.out(y.transpose(1, 2).flatten(2))


@torch.no_grad()
def sample(model, ids, n, temperature=0.8, top_k=5):
    cache, pieces = KVCache(ids.shape[1] + n), [ids]
    for _ in range(n):
        logits = model(pieces[-1], cache)[:, -1] / temperature
        best, where = logits.topk(top_k, dim=-1)
        choice = torch.multinomial(best.softmax(-1), 1)
        pieces.append(where.gather(1, choice))
    return torch.cat(pieces, dim=1)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Decoder().to(device).eval()
    print(sample(net, torch.randint(0, 40, (2, 4), device=device), 6).cpu())
