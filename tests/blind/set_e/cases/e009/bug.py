import torch
from torch import nn


class Seq2SeqVAE(nn.Module):
    def __init__(self, vocab=12, dim=8, latent=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.enc = nn.GRU(dim, 2 * latent, batch_first=True)
        self.dec = nn.GRU(dim + latent, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        e = self.emb(ids)
        mu, logvar = self.enc(e)[1].squeeze(0).chunk(2, -1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        h, _ = self.dec(torch.cat([e, z.unsqueeze(1).expand(-1, ids.size(1), -1)], -1))
        kl = -0.5 * (1 + logvar - mu**2 - logvar.exp()).sum(-1).mean()
        return self.out(h), kl


def beta_at(step, total):
    return min(1.0, step / (0.5 * total))


def main(steps=10):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Seq2SeqVAE().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    totals = {"nll": 0.0, "kl": 0.0}
    for step in range(steps):
        ids = torch.randint(0, 12, (4, 6), device=device)
        logits, kl = model(ids)
        nll = nn.functional.cross_entropy(logits[:, :-1].reshape(-1, 12), ids[:, 1:].reshape(-1))
        loss = nll + beta_at(step, steps) * kl
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        totals["nll"] += nll
        totals["kl"] += kl
    print({k: float(v) / steps for k, v in totals.items()})
    return totals


if __name__ == "__main__":
    main()
