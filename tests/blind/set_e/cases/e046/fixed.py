import torch
from torch import nn


class Captioner(nn.Module):
    def __init__(self, vocab=15, dim=8):
        super().__init__()
        self.img = nn.Linear(6, dim)
        self.emb = nn.Embedding(vocab, dim)
        self.cell = nn.GRUCell(dim, dim)
        self.out = nn.Linear(dim, vocab)

    def forward(self, feats, tokens):
        h = torch.tanh(self.img(feats))
        logits = []
        for t in range(tokens.size(1)):
            h = self.cell(self.emb(tokens[:, t]), h)
            logits.append(self.out(h))
        return torch.stack(logits, 1)


def beam(model, feats, width=2, length=4):
    model.eval()
    with torch.no_grad():
        return _beam(model, feats, width, length)


def _beam(model, feats, width, length):
    h = torch.tanh(model.img(feats)).expand(width, -1)
    seqs = torch.zeros(width, 1, dtype=torch.long, device=feats.device)
    scores = torch.tensor([0.0] + [-1e9] * (width - 1), device=feats.device)
    for _ in range(length):
        h = model.cell(model.emb(seqs[:, -1]), h)
        total = scores.unsqueeze(1) + model.out(h).log_softmax(-1)
        scores, flat = total.flatten().topk(width)
        parent, token = flat // total.size(1), flat % total.size(1)
        seqs, h = torch.cat([seqs[parent], token.unsqueeze(1)], 1), h[parent]
    return seqs[0].tolist()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Captioner().to(device)
    print(beam(model, torch.randn(1, 6, device=device)))


if __name__ == "__main__":
    main()
