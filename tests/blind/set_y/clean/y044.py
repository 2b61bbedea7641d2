import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pack_sequence, pad_packed_sequence


class SentenceEncoder(nn.Module):
    def __init__(self, vocab=50, dim=16):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.gru = nn.GRU(dim, dim, batch_first=True)

    def forward(self, ids, mask):
        lengths = mask.sum(1)
        packed = pack_padded_sequence(self.emb(ids), lengths.tolist(), batch_first=True, enforce_sorted=False)
        out, h = self.gru(packed)
        out, out_lens = pad_packed_sequence(out, batch_first=True)
        valid = torch.arange(out.size(1), device=out.device)[None] < out_lens[:, None].to(out.device)
        return (out * valid.unsqueeze(-1)).sum(1) / lengths.unsqueeze(1), h[-1]


class PackedNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)

    def forward(self, seq):
        return PackedSequence(self.norm(seq.data), seq.batch_sizes, seq.sorted_indices, seq.unsorted_indices)


def batch(device, n=6):
    lens = torch.randint(3, 9, (n,))
    ids = torch.zeros(n, int(lens.max()), dtype=torch.long)
    for row, k in enumerate(lens.tolist()):
        ids[row, :k] = torch.randint(1, 50, (k,))
    return ids.to(device), (ids != 0).to(device)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
enc, norm = SentenceEncoder().to(device), PackedNorm(4).to(device)
scorer = nn.Bilinear(16, 16, 1).to(device)
opt = torch.optim.Adam([*enc.parameters(), *scorer.parameters(), *norm.parameters()], lr=1e-3)
for step in range(3):
    a_mean, a_last = enc(*batch(device))
    b_mean, _ = enc(*batch(device))
    score = scorer(a_mean, b_mean).squeeze(1) + (a_last * b_mean).sum(1)
    extra = norm(pack_sequence([torch.randn(k, 4, device=device) for k in (5, 3, 2)])).data
    loss = nn.functional.softplus(-score).mean() + 1e-3 * extra.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
