import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence


def to_device(obj, device, keep=("lengths",)):
    if torch.is_tensor(obj):
        return obj.to(device)
    if isinstance(obj, dict):
        return {k: v if k in keep else to_device(v, device, keep) for k, v in obj.items()}
    if isinstance(obj, (list, tuple)):
        return type(obj)(to_device(o, device, keep) for o in obj)
    return obj


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(8, 12, batch_first=True, bidirectional=True)
        self.proj = nn.Linear(24, 5)

    def forward(self, feats, lengths):
        packed = pack_padded_sequence(feats, lengths, batch_first=True, enforce_sorted=False)
        out, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return self.proj(out)


device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
model = Tagger().to(device)
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(3):
    seqs = [torch.randn(n, 8) for n in (5, 3, 7)]
    batch = {
        "x": pad_sequence(seqs, batch_first=True),
        "lengths": torch.tensor([len(s) for s in seqs]),
        "tags": torch.randint(0, 5, (3, 7)),
    }
    batch = to_device(batch, device)
    logits = model(batch["x"], batch["lengths"])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), batch["tags"].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())
