import torch
import torch.nn as nn
import torch.nn.functional as F


class Seq2Label(nn.Module):
    def __init__(self, vocab=50, dim=16, classes=4, max_len=32):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.pos = nn.Embedding(max_len, dim)
        layer = nn.TransformerEncoderLayer(dim, 2, 32, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.out = nn.Linear(dim, classes)

    def forward(self, ids):
        pos = torch.arange(ids.size(1), device=ids.device)
        h = self.embed(ids) + self.pos(pos)
        pad = ids.eq(0)
        h = self.encoder(h, src_key_padding_mask=pad)
        return self.out(h.masked_fill(pad.unsqueeze(-1), 0).sum(1))


def wrap(model, requested):
    """Spreads the model only over GPUs that are there."""
    present = torch.cuda.device_count() if torch.cuda.is_available() else 0
    ids = [i for i in requested if i < present]
    device = torch.device("cuda", ids[0]) if ids else torch.device("cpu")
    model = model.to(device)
    if len(ids) > 1:
        model = nn.DataParallel(model, device_ids=ids)
    return model, device


def bare(model):
    return model.module if isinstance(model, nn.DataParallel) else model


model, device = wrap(Seq2Label(), requested=[0])
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(5):
    ids = torch.randint(1, 50, (8, 10))
    ids[:4, 7:] = 0
    labels = ids.sum(1) % 4
    loss = F.cross_entropy(model(ids.to(device)), labels.to(device))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item(), sorted(bare(model).state_dict())[:2])
