import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

CUDA = torch.cuda.is_available()


def maybe_cuda(obj):
    return obj.cuda() if CUDA else obj


class TextVAE(nn.Module):
    def __init__(self, vocab=25, d=12, z=4):
        super().__init__()
        self.emb = nn.Embedding(vocab, d, padding_idx=0)
        self.enc = nn.GRU(d, d, batch_first=True)
        self.stats = nn.Linear(d, 2 * z)
        self.z2h = nn.Linear(z, d)
        self.dec = nn.GRUCell(d, d)
        self.out = nn.Linear(d, vocab)
        self.word_drop = 0.2

    def forward(self, ids):
        _, h = self.enc(self.emb(ids))
        mu, logvar = self.stats(h[-1]).chunk(2, -1)
        z = mu + (0.5 * logvar).exp() * torch.randn_like(mu) if self.training else mu
        keep = torch.rand(ids.shape, device=ids.device) > self.word_drop
        inp = torch.where(keep, ids, 0) if self.training else ids
        state = torch.tanh(self.z2h(z))
        logits = []
        for t in range(ids.size(1) - 1):
            state = self.dec(self.emb(inp[:, t]), state)
            logits.append(self.out(state))
        rec = F.cross_entropy(torch.stack(logits, 1).flatten(0, 1), ids[:, 1:].flatten(), ignore_index=0)
        kl = 0.5 * (mu.pow(2) + logvar.exp() - 1 - logvar).sum(-1).mean()
        return rec, kl

    @torch.no_grad()
    def sample(self, n, length):
        z = torch.randn(n, self.z2h.in_features).to(self.z2h.weight)
        state, tok = torch.tanh(self.z2h(z)), torch.ones(n, dtype=torch.long, device=z.device)
        seq = []
        for _ in range(length):
            state = self.dec(self.emb(tok), state)
            tok = self.out(state).softmax(-1).multinomial(1).squeeze(1)
            seq.append(tok)
        return torch.stack(seq, 1).cpu()


data = TensorDataset(torch.randint(1, 25, (40, 8)))
loader = DataLoader(data, batch_size=10, shuffle=True, drop_last=True)
model = maybe_cuda(TextVAE())
opt = torch.optim.Adam(model.parameters(), 1e-3)
step = 0
for epoch in range(2):
    for ids, in loader:
        ids = maybe_cuda(ids)
        rec, kl = model(ids)
        beta = min(1.0, step / 10)
        opt.zero_grad()
        (rec + beta * kl).backward()
        opt.step()
        step += 1
    print(epoch, rec.item(), kl.item())
model.eval()
print(model.sample(2, 6).tolist())
