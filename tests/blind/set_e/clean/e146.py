import torch
from torch import nn


class Memory(nn.Module):
    """Key-value cache for decoding, kept per layer on the module during generation only."""

    def __init__(self, d=8):
        super().__init__()
        self.q, self.kv, self.o = nn.Linear(d, d), nn.Linear(d, 2 * d), nn.Linear(d, d)
        self.cache = None

    def reset(self):
        self.cache = None

    def forward(self, x, use_cache=False):
        k, v = self.kv(x).chunk(2, -1)
        if use_cache:
            if self.cache is not None:
                k, v = torch.cat([self.cache[0], k], 1), torch.cat([self.cache[1], v], 1)
            self.cache = (k, v)
        n, t = x.size(1), k.size(1)
        mask = torch.full((n, t), float("-inf"), device=x.device).triu(t - n + 1)
        return self.o(((self.q(x) @ k.transpose(1, 2)) + mask).softmax(-1) @ v)


class LM(nn.Module):
    def __init__(self, vocab=10, d=8, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.layers = nn.ModuleList(Memory(d) for _ in range(depth))
        self.head = nn.Linear(d, vocab)

    def forward(self, ids, use_cache=False):
        x = self.emb(ids)
        for layer in self.layers:
            x = x + layer(x, use_cache)
        return self.head(x)

    @torch.no_grad()
    def generate(self, ids, n, top_k=3):
        was_training = self.training
        self.eval()
        for layer in self.layers:
            layer.reset()
        step = ids
        for _ in range(n):
            logits = self(step, use_cache=True)[:, -1]
            values, index = logits.topk(top_k)
            pick = torch.multinomial(values.softmax(-1), 1)
            step = index.gather(1, pick)
            ids = torch.cat([ids, step], 1)
        for layer in self.layers:
            layer.reset()
        self.train(was_training)
        return ids


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    lm = LM().to(device)
    optimizer = torch.optim.Adam(lm.parameters(), lr=1e-2)
    for step in range(4):
        ids = torch.randint(0, 10, (2, 6), device=device)
        loss = nn.functional.cross_entropy(lm(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 2:
            print(lm.generate(ids[:1, :2], 3).tolist())


if __name__ == "__main__":
    main()
