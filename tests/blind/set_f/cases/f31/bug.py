import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence


class SpeakerEncoder(nn.Module):
    def __init__(self, n_mels=8, hidden=16, emb=12):
        super().__init__()
        self.lstm = nn.LSTM(n_mels, hidden, num_layers=2, batch_first=True)
        self.proj = nn.Linear(hidden, emb)

    def forward(self, mels, lengths):
        packed = pack_padded_sequence(mels, lengths, batch_first=True, enforce_sorted=False)
        out, _ = self.lstm(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        mask = torch.arange(out.size(1), device=out.device)[None] < lengths[:, None]
        pooled = (out * mask.unsqueeze(-1)).sum(1) / lengths[:, None]
        return nn.functional.normalize(self.proj(pooled), dim=-1)


class GE2E(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor(10.0))
        self.b = nn.Parameter(torch.tensor(-5.0))

    def forward(self, e):
        centroids = nn.functional.normalize(e.mean(1), dim=-1)
        sim = self.w * torch.einsum("sud,cd->suc", e, centroids) + self.b
        label = torch.arange(e.size(0), device=e.device).repeat_interleave(e.size(1))
        return nn.functional.cross_entropy(sim.flatten(0, 1), label)


def make_batch(speakers, utts):
    wavs = [torch.randn(int(n), 8) for n in torch.randint(4, 12, (speakers * utts,))]
    return pad_sequence(wavs, batch_first=True), torch.tensor([len(w) for w in wavs])


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    enc, crit = SpeakerEncoder().to(device), GE2E().to(device)
    optim = torch.optim.Adam([*enc.parameters(), *crit.parameters()], lr=1e-3)
    for i in range(2):
        mels, lengths = (t.to(device) for t in make_batch(3, 2))
        loss = crit(enc(mels, lengths).view(3, 2, -1))
        optim.zero_grad()
        loss.backward()
        optim.step()
        print(i, loss.item())
