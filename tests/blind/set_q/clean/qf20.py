import torch
import torch.nn as nn
import torch.nn.functional as F


class DecisionTransformer(nn.Module):
    def __init__(self, obs, act, d=24, K=6, horizon=50):
        super().__init__()
        self.K, self.act = K, act
        self.time = nn.Embedding(horizon, d)
        self.ret, self.state, self.action = nn.Linear(1, d), nn.Linear(obs, d), nn.Linear(act, d)
        self.ln = nn.LayerNorm(d)
        self.block = nn.TransformerEncoderLayer(d, 2, 48, dropout=0.0, batch_first=True)
        self.head = nn.Linear(d, act)

    def forward(self, r, s, a, t):
        b, k = t.shape
        e = self.time(t)
        x = torch.stack([self.ret(r) + e, self.state(s) + e, self.action(a) + e], 2).view(b, 3 * k, -1)
        causal = torch.full((3 * k, 3 * k), float("-inf"), device=x.device).triu_(1)
        h = self.block(self.ln(x), src_mask=causal)
        return torch.tanh(self.head(h.view(b, k, 3, -1)[:, :, 1]))

    @torch.no_grad()
    def rollout(self, env_step, s0, target, n):
        dev = self.head.weight.device
        R, S = [torch.full((1, 1), float(target))], [s0.unsqueeze(0)]
        A, T = [torch.zeros(1, self.act)], [torch.zeros(1, dtype=torch.long)]
        total = 0.0
        for i in range(n):
            k = slice(-self.K, None)
            r, s, a = (torch.stack(q[k], 1).to(dev) for q in (R, S, A))
            t = torch.stack(T[k], 1).to(dev)
            act = self(r, s, a, t)[:, -1].cpu()
            A[-1] = act
            nxt, rew = env_step(S[-1], act)
            total += float(rew)
            R.append(R[-1] - rew)
            S.append(nxt)
            A.append(torch.zeros_like(act))
            T.append(T[-1] + 1)
        return total


def env_step(s, a):
    nxt = 0.9 * s + 0.1 * F.pad(a, (0, s.shape[1] - a.shape[1]))
    return nxt, 1 - nxt.abs().mean(1, keepdim=True)


def trajectories(n, length=20):
    s, out = torch.randn(n, 3), []
    for _ in range(length):
        a = torch.tanh(-s[:, :2] + 0.3 * torch.randn(n, 2))
        nxt, r = env_step(s, a)
        out.append((s, a, r))
        s = nxt
    s, a, r = (torch.stack(x, 1) for x in zip(*out))
    return s, a, r.flip(1).cumsum(1).flip(1)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    s, a, rtg = trajectories(40)
    net = DecisionTransformer(3, 2).to(device)
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
    for it in range(10):
        rows = torch.randint(40, (16, 1))
        t = torch.randint(20 - net.K, (16, 1)) + torch.arange(net.K)
        bs, ba, br = (x[rows, t].to(device) for x in (s, a, rtg))
        pred = net(br, bs, ba, t.to(device))
        loss = F.mse_loss(pred, ba)
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    print(loss.item(), net.rollout(env_step, torch.randn(3), 15.0, 12))
