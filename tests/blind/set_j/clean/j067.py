import torch
import torch.nn as nn
import torch.nn.functional as F


class CachedAttention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.h = heads
        self.qkv, self.o = nn.Linear(d, 3 * d), nn.Linear(d, d)

    def forward(self, x, cache=None):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        if cache is not None:
            if "k" in cache:
                k, v = torch.cat([cache["k"], k], 2), torch.cat([cache["v"], v], 2)
            cache["k"], cache["v"] = k, v
        y = F.scaled_dot_product_attention(q, k, v, is_causal=cache is None or t == k.size(2))
        return self.o(y.transpose(1, 2).reshape(b, t, d))


class Decoder(nn.Module):
    def __init__(self, vocab=20, d=16, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.layers = nn.ModuleList(CachedAttention(d, 2) for _ in range(depth))
        self.head = nn.Linear(d, vocab)

    def forward(self, ids, caches=None):
        x = self.emb(ids)
        for i, layer in enumerate(self.layers):
            x = x + layer(x, None if caches is None else caches[i])
        return self.head(x)


@torch.no_grad()
def generate(model, prompt, n, temperature=1.0):
    model.eval()
    caches = [{} for _ in model.layers]
    out, ids = [prompt], prompt
    for _ in range(n):
        logits = model(ids, caches)[:, -1] / temperature
        ids = torch.multinomial(logits.softmax(-1), 1)
        out.append(ids)
    return torch.cat(out, 1)


device = "cuda" if torch.cuda.is_available() else "cpu"
model = Decoder().to(device)
tokens = generate(model, torch.zeros(2, 3, dtype=torch.long, device=device), 6)
print(tokens.tolist())
