import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Codebook(nn.Module):
    """Discrete bottleneck: every vector picks one entry."""

    def __init__(self, k, d):
        super().__init__()
        self.emb = nn.Parameter(torch.randn(k, d) * 0.5)

    def forward(self, logits):
        one_hot = F.one_hot(logits.argmax(-1), logits.size(-1)).float()
        return one_hot, one_hot @ self.emb


class Listener(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.f = nn.Linear(d, d)

    def forward(self, msg, candidates):
        return (candidates @ self.f(msg).unsqueeze(-1)).squeeze(-1)


class Speaker(nn.Module):
    def __init__(self, d, vocab):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(d, 32), nn.ReLU(), nn.Linear(32, vocab))

    def forward(self, x):
        return self.f(x)


d, vocab = 8, 12
speaker, listener, book = Speaker(d, vocab).to(device), Listener(d).to(device), Codebook(vocab, d).to(device)
for p in [*listener.parameters(), *book.parameters()]:
    p.requires_grad_(False)
opt = torch.optim.Adam(speaker.parameters(), lr=1e-3)


def play(n=16, distractors=4):
    candidates = torch.randn(n, distractors, d, device=device)
    target = torch.randint(distractors, (n,), device=device)
    seen = candidates[torch.arange(n, device=device), target]
    usage, msg = book(speaker(seen))
    scores = listener(msg, candidates)
    return F.cross_entropy(scores, target), usage


for step in range(4):
    loss, usage = play()
    opt.zero_grad()
    loss.backward()
    opt.step()
print("loss", loss.item(), "symbols used", int((usage.detach().sum(0) > 0).sum()))
