import torch
from torch import nn


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, base=10000):
        super().__init__()
        self.register_buffer("inv_freq", 1.0 / base ** (torch.arange(0, dim, 2).float() / dim))
        self.seq_len_cached = None
        self.cos_cached = None
        self.sin_cached = None

    def forward(self, x):
        seq_len = x.shape[1]
        if seq_len != self.seq_len_cached or self.cos_cached.device != x.device:
            self.seq_len_cached = seq_len
            t = torch.arange(seq_len, device=x.device).type_as(self.inv_freq)
            freqs = torch.einsum("i,j->ij", t, self.inv_freq)
            emb = torch.cat((freqs, freqs), dim=-1)
            self.cos_cached = emb.cos()[None]
            self.sin_cached = emb.sin()[None]
        return self.cos_cached, self.sin_cached


class Encoder(nn.Module):
    def __init__(self, vocab=50, dim=16):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.rope = RotaryEmbedding(dim)
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)

    def forward(self, ids):
        x = self.tok(ids)
        cos, sin = self.rope(x)
        q, k = self.q(x), self.k(x)
        q = q * cos + rotate_half(q) * sin
        k = k * cos + rotate_half(k) * sin
        return torch.softmax(q @ k.transpose(1, 2), dim=-1) @ x


@torch.no_grad()
def count_flops(model, length):
    ids = torch.zeros(1, length, dtype=torch.long)
    out = model(ids)
    return 2 * out.numel() * sum(p.numel() for p in model.parameters())


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    encoder = Encoder()
    print("flops per sequence", count_flops(encoder, 12))
    encoder.to(device)
    ids = torch.randint(0, 50, (4, 12), device=device)
    with torch.no_grad():
        print(encoder(ids).mean().item())


if __name__ == "__main__":
    main()
