import torch
import torch.nn as nn
import torch.nn.functional as F


class ResidualBlock(nn.Module):
    def __init__(self, d_in, d_out, p=0.1):
        super().__init__()
        self.d_in, self.d_out = d_in, d_out
        self.norm = nn.LayerNorm(d_in)
        self.fc1 = nn.Linear(d_in, d_out)
        self.fc2 = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(p)
        self.skip = nn.Identity() if d_in == d_out else nn.Linear(d_in, d_out, bias=False)

    def shortcut(self, x):
        return self.skip(x)

    def forward(self, x):
        h = self.fc2(self.drop(F.silu(self.fc1(self.norm(x)))))
        return h + self.shortcut(x)


class TabResNet(nn.Module):
    def __init__(self, cards, n_num, widths=(32, 32, 16), n_out=1):
        super().__init__()
        self.cat = nn.ModuleList(nn.Embedding(c, min(8, c)) for c in cards)
        d = n_num + sum(e.embedding_dim for e in self.cat)
        self.blocks = nn.Sequential(*(ResidualBlock(a, b) for a, b in zip((d,) + widths[:-1], widths)))
        self.out = nn.Linear(widths[-1], n_out)

    def forward(self, num, cat):
        x = torch.cat([num] + [e(cat[:, i]) for i, e in enumerate(self.cat)], 1)
        return self.out(self.blocks(x)).squeeze(-1)


def grid(**space):
    keys = list(space)
    combos = [{}]
    for k in keys:
        combos = [{**c, k: v} for c in combos for v in space[k]]
    return combos


def run_trial(lr, weight_decay, device):
    torch.manual_seed(0)
    model = TabResNet([4, 7], 5).to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=weight_decay)
    for _ in range(3):
        num = torch.randn(32, 5, device=device)
        cat = torch.stack([torch.randint(0, c, (32,), device=device) for c in (4, 7)], 1)
        loss = F.mse_loss(model(num, cat), num.sum(1))
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
results = {}
for trial in grid(lr=[1e-3, 1e-2], weight_decay=[0.0, 0.1]):
    results[tuple(trial.values())] = run_trial(**trial, device=device)
print(min(results, key=results.get))
