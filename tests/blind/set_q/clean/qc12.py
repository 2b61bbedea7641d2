import torch
import torch.nn as nn
import torch.nn.functional as F


class NoisyLinear(nn.Linear):
    def __init__(self, i, o, sigma=0.5):
        super().__init__(i, o)
        self.sigma_w = nn.Parameter(torch.full((o, i), sigma / i ** 0.5))
        self.sigma_b = nn.Parameter(torch.full((o,), sigma / i ** 0.5))
        self.register_buffer("eps_i", torch.zeros(1, i))
        self.register_buffer("eps_o", torch.zeros(o, 1))

    def resample(self):
        for e in (self.eps_i, self.eps_o):
            e.normal_()
            e.copy_(e.sign() * e.abs().sqrt())

    def forward(self, x):
        if not self.training:
            return super().forward(x)
        w = self.weight + self.sigma_w * (self.eps_o * self.eps_i)
        return F.linear(x, w, self.bias + self.sigma_b * self.eps_o.squeeze(1))


class C51(nn.Module):
    def __init__(self, obs, acts, atoms=21, vmin=-5.0, vmax=5.0):
        super().__init__()
        self.acts, self.atoms, self.vmin, self.vmax = acts, atoms, vmin, vmax
        self.register_buffer("support", torch.linspace(vmin, vmax, atoms))
        self.fc = nn.Linear(obs, 32)
        self.adv, self.val = NoisyLinear(32, acts * atoms), NoisyLinear(32, atoms)

    def log_probs(self, x):
        h = F.relu(self.fc(x))
        a = self.adv(h).view(-1, self.acts, self.atoms)
        return (self.val(h).unsqueeze(1) + a - a.mean(1, keepdim=True)).log_softmax(-1)

    def forward(self, x):
        return (self.log_probs(x).exp() * self.support).sum(-1)

    def reset_noise(self):
        self.adv.resample()
        self.val.resample()


def project(target, support, rew, done, nxt, gamma):
    b, atoms = len(rew), len(support)
    dz = (support[-1] - support[0]) / (atoms - 1)
    tz = (rew[:, None] + gamma * (1 - done[:, None]) * support).clamp(float(support[0]), float(support[-1]))
    pos = (tz - support[0]) / dz
    lo, hi = pos.floor().long().clamp(0, atoms - 1), pos.ceil().long().clamp(0, atoms - 1)
    m = torch.zeros_like(target)
    m.scatter_add_(1, lo, target * (hi.float() + (lo == hi).float() - pos))
    m.scatter_add_(1, hi, target * (pos - lo.float()))
    return m


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    online, target = C51(4, 2).to(device), C51(4, 2).to(device)
    target.load_state_dict(online.state_dict())
    target.train()
    opt = torch.optim.Adam(online.parameters(), lr=1e-3)
    for it in range(10):
        s, s2 = torch.randn(2, 32, 4, device=device)
        a = torch.randint(2, (32,), device=device)
        r, done = torch.randn(32, device=device), torch.zeros(32, device=device)
        online.reset_noise()
        target.reset_noise()
        rows = torch.arange(32)
        with torch.no_grad():
            best = online(s2).argmax(1)
            m = project(target.log_probs(s2)[rows, best].exp(), target.support, r, done, s2, 0.99)
        loss = -(m * online.log_probs(s)[rows, a]).sum(-1)
        prio = loss.detach().cpu().numpy()
        opt.zero_grad()
        loss.mean().backward()
        nn.utils.clip_grad_norm_(online.parameters(), 10)
        opt.step()
        if it % 5 == 0:
            target.load_state_dict(online.state_dict())
    print(prio.mean())


if __name__ == "__main__":
    main()
