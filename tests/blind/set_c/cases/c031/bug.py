import torch
from torch import nn

BOS, EOS = 1, 2


class GRUDecoder(nn.Module):
    def __init__(self, vocab=20, dim=16):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.cell = nn.GRUCell(dim, dim)
        self.out = nn.Linear(dim, vocab)
        self.dim = dim

    def forward(self, token, h):
        h = self.cell(self.emb(token), h)
        return self.out(h), h


@torch.no_grad()
def sample(decoder, n=2, max_len=10, temperature=1.0):
    decoder.eval()
    device = decoder.device
    token = torch.full((n,), BOS, dtype=torch.long, device=device)
    h = torch.zeros(n, decoder.dim, device=device)
    finished = torch.zeros(n, dtype=torch.bool, device=device)
    output = []
    for _ in range(max_len):
        logits, h = decoder(token, h)
        token = torch.multinomial((logits / temperature).softmax(-1), 1).squeeze(1)
        finished |= token == EOS
        output.append(token)
        if finished.all():
            break
    return torch.stack(output, dim=1)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    decoder = GRUDecoder().to(device)
    print(sample(decoder).tolist())
