import torch
from torch import nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class AcousticModel(nn.Module):
    def __init__(self, mels=6, hidden=12, symbols=8):
        super().__init__()
        self.sub = nn.Conv1d(mels, hidden, 3, stride=2, padding=1)
        self.rnn = nn.GRU(hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, symbols)

    def forward(self, feats, lengths):
        """feats on the model's device, lengths stay on the host (packing wants them there)."""
        x = self.sub(feats.transpose(1, 2)).relu().transpose(1, 2)
        lengths = (lengths + 1) // 2
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        y, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return F.log_softmax(self.out(y), dim=-1), lengths


@torch.no_grad()
def greedy_decode(log_probs, lengths, blank=0):
    best = log_probs.argmax(-1).cpu()
    texts = []
    for row, n in zip(best, lengths.tolist()):
        path = torch.unique_consecutive(row[:n])
        texts.append(path[path != blank].tolist())
    return texts


def edit_distance(a, b):
    prev = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        cur = [i]
        for j, y in enumerate(b, 1):
            cur.append(min(prev[j] + 1, cur[-1] + 1, prev[j - 1] + (x != y)))
        prev = cur
    return prev[-1]
