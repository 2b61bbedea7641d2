import torch
import torch.nn as nn
import torch.nn.functional as F


class LightGCN(nn.Module):
    def __init__(self, users, items, dim=16, layers=2):
        super().__init__()
        self.nu = users
        self.emb = nn.Embedding(users + items, dim)
        nn.init.normal_(self.emb.weight, std=0.1)
        self.layers = layers

    def propagate(self, adj):
        x = self.emb.weight
        out = [x]
        for _ in range(self.layers):
            x = adj @ x
            out.append(x)
        return torch.stack(out).mean(0)

    def bpr(self, adj, u, pos, neg):
        z = self.propagate(adj)
        users, items = z[: self.nu], z[self.nu:]
        margin = (users[u] * (items[pos] - items[neg])).sum(-1)
        ego = self.emb(torch.cat([u, pos + self.nu, neg + self.nu]))
        return -F.logsigmoid(margin).mean() + 1e-4 * ego.pow(2).sum() / len(u)

    @torch.no_grad()
    def recommend(self, adj, seen, k):
        z = self.propagate(adj)
        s = z[: self.nu] @ z[self.nu:].t()
        s[seen.to(s.device)] = float("-inf")
        return s.topk(k, dim=1).indices.cpu()


def normalised(seen):
    u, i = seen.shape
    a = torch.zeros(u + i, u + i)
    a[:u, u:] = seen.float()
    a[u:, :u] = seen.float().t()
    d = a.sum(1).clamp(min=1).rsqrt()
    return d[:, None] * a * d


torch.manual_seed(3)
dev = "cuda" if torch.cuda.is_available() else "cpu"
seen = torch.rand(20, 30) < 0.2
adj = normalised(seen).to(dev)
pairs = seen.nonzero()
model = LightGCN(20, 30).to(dev)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    total = 0.0
    for rows in pairs[torch.randperm(len(pairs))].split(64):
        u, pos = rows.to(dev).unbind(1)
        neg = torch.randint_like(pos, 30)
        loss = model.bpr(adj, u, pos, neg)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(u)
    print(epoch, total / len(pairs))
print(model.recommend(adj, seen, 5)[0].tolist())
