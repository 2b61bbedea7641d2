import torch
import torch.nn as nn
import torch.nn.functional as F


class RewardScaler:
    def __init__(self, shape=()):
        self.mean, self.var, self.count = torch.zeros(shape), torch.ones(shape), 1e-4

    def update(self, x):
        x = x.detach().cpu()
        bm, bv, n = x.mean(0), x.var(0, unbiased=False), x.shape[0]
        delta, tot = bm - self.mean, self.count + n
        self.mean = self.mean + delta * n / tot
        self.var = (self.var * self.count + bv * n + delta ** 2 * self.count * n / tot) / tot
        self.count = tot

    def __call__(self, x):
        return (x - self.mean.to(x.device)) / (self.var.to(x.device) + 1e-8).sqrt()


class RND(nn.Module):
    """Exploration bonus: distance to a network that is never trained."""

    def __init__(self, obs, out=8):
        super().__init__()
        mk = lambda: nn.Sequential(nn.Linear(obs, 32), nn.ReLU(), nn.Linear(32, out))
        self.fixed, self.learned = mk(), mk()
        self.fixed.requires_grad_(False)

    def forward(self, x):
        return (self.learned(x) - self.fixed(x)).pow(2).mean(-1)


class A2C(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.core = nn.GRUCell(obs, 24)
        self.pi, self.v = nn.Linear(24, act), nn.Linear(24, 1)

    def forward(self, x, h):
        h = self.core(x, h)
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h).squeeze(-1), h


def main(n_env=6, T=5, updates=6):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net, rnd, norm = A2C(3, 2).to(device), RND(3).to(device), RewardScaler((3,))
    opt = torch.optim.RMSprop(net.parameters(), lr=1e-3)
    rnd_opt = torch.optim.Adam(rnd.learned.parameters(), lr=1e-3)
    h = torch.zeros(n_env, 24, device=device)
    obs = torch.randn(n_env, 3)
    for _ in range(updates):
        h = h.detach()
        logps, values, rewards, ents, seen = [], [], [], [], []
        for _ in range(T):
            norm.update(obs)
            x = norm(obs.to(device))
            dist, v, h = net(x, h)
            a = dist.sample()
            with torch.no_grad():
                bonus = rnd(x)
            ext = (a.cpu() == (obs[:, 0] > 0).long()).float()
            rewards.append(ext.to(device) + 0.1 * bonus)
            logps.append(dist.log_prob(a))
            values.append(v)
            ents.append(dist.entropy())
            seen.append(x)
            obs = torch.randn(n_env, 3)
        with torch.no_grad():
            R = net(norm(obs.to(device)), h)[1]
        loss = 0.0
        for lp, v, r, e in zip(*(reversed(q) for q in (logps, values, rewards, ents))):
            R = r + 0.95 * R
            adv = R - v
            loss = loss - (lp * adv.detach()).mean() + 0.5 * adv.pow(2).mean() - 0.01 * e.mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        rnd_loss = rnd(torch.cat(seen)).mean()
        rnd_opt.zero_grad()
        rnd_loss.backward()
        rnd_opt.step()
    print(loss.item(), rnd_loss.item())


if __name__ == "__main__":
    main()
