import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Rotary(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.register_buffer("inv", 1.0 / (10000 ** (torch.arange(0, dim, 2).float() / dim)), persistent=False)

    def forward(self, start, n):
        ang = torch.outer(torch.arange(start, start + n, device=self.inv.device).float(), self.inv)
        return ang.cos(), ang.sin()


def rotate(x, cos, sin):
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


class Attn(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.qkv, self.o = h, nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.rope = Rotary(d // h)

    def forward(self, x, past=None):
        B, T, D = x.shape
        q, k, v = (t.view(B, T, self.h, -1).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        start = 0 if past is None else past[0].shape[2]
        cos, sin = self.rope(start, T)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        mask = torch.ones(T, k.shape[2], dtype=torch.bool, device=x.device).tril_(start)
        att = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).masked_fill_(~mask, float("-inf"))
        y = (att.softmax(-1) @ v).transpose(1, 2).reshape(B, T, D)
        return self.o(y), (k, v)


class LM(nn.Module):
    def __init__(self, vocab=20, d=16, h=2, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.blocks = nn.ModuleList(nn.ModuleList([nn.LayerNorm(d), Attn(d, h)]) for _ in range(depth))
        self.ln = nn.LayerNorm(d)
        self.head = nn.Linear(d, vocab, bias=False)
        self.head.weight = self.emb.weight

    def forward(self, ids, cache=None):
        x, new = self.emb(ids), []
        for i, (ln, attn) in enumerate(self.blocks):
            y, kv = attn(ln(x), None if cache is None else cache[i])
            x = x + y
            new.append(kv)
        return self.head(self.ln(x)), new


@torch.inference_mode()
def generate(model, prompt, n, top_k=5):
    ids, cache = prompt.to(next(model.parameters()).device), None
    out = [ids]
    for _ in range(n):
        logits, cache = model(out[-1], cache)
        v, i = logits[:, -1].topk(top_k)
        out.append(i.gather(1, torch.multinomial(v.softmax(-1), 1)))
    return torch.cat(out, 1).tolist()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = LM().to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
    text = (torch.arange(400) % 17).to(device)
    for _ in range(10):
        i = torch.randint(0, 380, (8, 1), device=device) + torch.arange(13, device=device)
        logits, _ = model(text[i[:, :-1]])
        loss = F.cross_entropy(logits.flatten(0, 1), text[i[:, 1:]].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    print(loss.item(), generate(model, torch.tensor([[1, 2, 3]]), 5))
