import torch
from torch import nn

from masks import alibi_slopes, causal_mask


class Decoder(nn.Module):
    def __init__(self, vocab=32, dim=16, heads=4):
        super().__init__()
        self.heads = heads
        self.emb = nn.Embedding(vocab, dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, vocab)
        self.register_buffer("slopes", alibi_slopes(heads), persistent=False)

    def forward(self, ids):
        b, n = ids.shape
        q, k, v = self.qkv(self.emb(ids)).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        pos = torch.arange(n, device=ids.device)
        bias = -(pos[:, None] - pos[None, :]).abs() * self.slopes[:, None, None]
        att = q @ k.transpose(-1, -2) / q.size(-1) ** 0.5 + bias
        att = att.masked_fill(causal_mask(n, ids.device), float("-inf")).softmax(-1)
        return self.out((att @ v).transpose(1, 2).reshape(b, n, -1))


@torch.no_grad()
def generate(model, prompt, steps, top_k=5):
    model.eval()
    ids = prompt
    for _ in range(steps):
        logits = model(ids)[:, -1]
        kth = logits.topk(top_k).values[:, -1:]
        probs = logits.masked_fill(logits < kth, float("-inf")).softmax(-1)
        ids = torch.cat([ids, torch.multinomial(probs, 1)], dim=1)
    return ids


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Decoder().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(3):
        ids = torch.randint(0, 32, (4, 12), device=device)
        loss = nn.functional.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
    prompt = torch.tensor([[1, 2, 3]]).to(device)
    print(generate(model, prompt, 6).tolist())
