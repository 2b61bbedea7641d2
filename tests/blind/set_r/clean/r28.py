"""Recurrent scan that writes its outputs into one buffer, and a merging block."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Scan(nn.Module):
    def __init__(self, n_in, n_hidden):
        super().__init__()
        self.n_hidden = n_hidden
        self.cell = nn.Linear(n_in + n_hidden, n_hidden)

    def forward(self, u):
        steps, batch, _ = u.shape
        out = u.new_zeros(steps, batch, self.n_hidden)
        h = u.new_zeros(batch, self.n_hidden)
        for t in range(steps):
            h = torch.tanh(self.cell(torch.cat([u[t], h], dim=1)))
            out[t] = h
        return out


class Merge(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.mix = nn.Linear(dim, dim)
        self.act = nn.ReLU(inplace=True)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        y = self.mix(x)
        y += x
        y = self.act(y)
        scale = F.softplus(y.mean(-1, keepdim=True))
        z = self.norm(y) * 2
        z -= z.mean(0, keepdim=True)
        z[0] = 0
        weights = scale.squeeze(-1).softmax(0)
        return (weights.unsqueeze(-1) * z).clamp_(-3, 3)


def rollout(scan, merge, u):
    with torch.no_grad():
        seq = scan(u)
        seq *= 0.5
        seq[-1].zero_()
        return merge(seq)


if __name__ == "__main__":
    scan, merge = Scan(3, 6), Merge(6)
    optimizer = torch.optim.Adam([*scan.parameters(), *merge.parameters()], lr=1e-2)
    for step in range(3):
        u = torch.randn(8, 5, 3)
        loss = (merge(scan(u)).sum(0)[:, :3] - u.mean(0)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item(), rollout(scan, merge, u).shape)
