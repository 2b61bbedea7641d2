import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def scatter_softmax(score, index, n):
    top = score.new_full((n,), float("-inf")).scatter_reduce(0, index, score.detach(), "amax")
    e = (score - top[index]).exp()
    z = torch.zeros(n, dtype=e.dtype, device=e.device).index_add(0, index, e)
    return e / z[index].clamp(min=1e-12)


class EdgeAttention(nn.Module):
    def __init__(self, din, dout):
        super().__init__()
        self.proj, self.att = nn.Linear(din, dout), nn.Linear(2 * dout, 1)

    def forward(self, x, edges):
        n = x.size(0)
        loops = torch.arange(n, device=edges.device).expand(2, n)
        src, dst = torch.cat([edges, loops], 1)
        h = self.proj(x)
        score = F.leaky_relu(self.att(torch.cat([h[src], h[dst]], 1)).squeeze(1), 0.2)
        w = scatter_softmax(score, dst, n)
        return torch.zeros_like(h).index_add(0, dst, w[:, None] * h[src])


class LinkPredictor(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = EdgeAttention(5, 16), EdgeAttention(16, 8)

    def encode(self, x, edges):
        return self.b(F.elu(self.a(x, edges)), edges)

    def score(self, z, pairs):
        return (z[pairs[0]] * z[pairs[1]]).sum(1)


x = torch.randn(15, 5).to(device)
edges = torch.randint(0, 15, (2, 40)).to(device)
model = LinkPredictor().to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    neg = torch.randint(0, 15, edges.shape, device=device)
    z = model.encode(x, edges)
    logits = torch.cat([model.score(z, edges), model.score(z, neg)])
    target = torch.zeros_like(logits)
    target[: edges.size(1)] = 1
    loss = F.binary_cross_entropy_with_logits(logits, target)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
