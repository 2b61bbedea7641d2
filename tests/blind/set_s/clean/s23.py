import torch
import torch.nn as nn
import torch.nn.functional as F


class Tokenizer:
    def __init__(self, text):
        self.chars = sorted(set(text))
        self.index = {c: i for i, c in enumerate(self.chars)}

    def encode(self, s):
        return torch.tensor([self.index[c] for c in s])

    def decode(self, ids):
        return "".join(self.chars[i] for i in ids)


class CharGRU(nn.Module):
    def __init__(self, vocab, dim=16):
        super().__init__()
        self.embed, self.rnn = nn.Embedding(vocab, dim), nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids, h=None):
        ids = ids.to(self.embed.weight.device)
        y, h = self.rnn(self.embed(ids), h)
        return self.out(y), h


@torch.inference_mode()
def generate(model, tok, prompt, n, temperature=1.0):
    model.eval()
    ids, h, out = tok.encode(prompt).unsqueeze(0), None, []
    for _ in range(n):
        logits, h = model(ids, h)
        ids = torch.multinomial((logits[:, -1] / temperature).softmax(-1), 1)
        out.append(ids)
    return prompt + tok.decode(torch.cat(out, dim=1)[0].tolist())


def main():
    text = "the quick brown fox jumps over the lazy dog " * 4
    tok = Tokenizer(text)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = CharGRU(len(tok.chars)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    ids = tok.encode(text).view(4, -1)
    for step in range(10):
        logits, _ = model(ids[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten().to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item(), repr(generate(model, tok, "the ", 12)))


if __name__ == "__main__":
    main()
