import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, dim=16, heads=4):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(dim, 2 * dim, bias=False)
        self.to_out = nn.Linear(dim, dim)
        self.gate = nn.Parameter(torch.zeros(1))

    def forward(self, x, context, context_mask=None):
        b, n, _ = x.shape
        q = self.to_q(x).view(b, n, self.heads, -1).transpose(1, 2)
        k, v = self.to_kv(context).view(b, context.size(1), 2, self.heads, -1).permute(2, 0, 3, 1, 4)
        sim = q @ k.transpose(-1, -2)
        sim *= self.scale
        if context_mask is not None:
            sim.masked_fill_(~context_mask[:, None, None, :], torch.finfo(sim.dtype).min)
        attn = sim.softmax(dim=-1)
        out = (attn @ v).transpose(1, 2).reshape(b, n, -1)
        out = self.to_out(out)
        out += x
        return out


class Captioner(nn.Module):
    def __init__(self, vocab=20, dim=16):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.cross = CrossAttention(dim)
        self.lm = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(dim, vocab))

    def forward(self, ids, frames, frame_mask):
        return self.lm(self.cross(self.tok(ids), frames, frame_mask))


def lengths_to_mask(lengths, max_len):
    return torch.arange(max_len, device=lengths.device)[None] < lengths[:, None]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Captioner().to(device)
model.cross.gate.requires_grad_(False)
opt = torch.optim.Adam((p for p in model.parameters() if p.requires_grad), lr=1e-3)
for it in range(3):
    ids = torch.randint(0, 20, (4, 7), device=device)
    frames = torch.randn(4, 9, 16).to(device)
    lengths = torch.tensor([9, 5, 7, 2], device=device)
    logits = model(ids[:, :-1], frames, lengths_to_mask(lengths, frames.size(1)))
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
