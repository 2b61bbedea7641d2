import torch
import torch.nn.functional as F

from replay import PrioritizedReplay
from qnet import Dueling

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def n_step(seq, gamma):
    s, a = seq[0][:2]
    r = sum(gamma ** i * t[2] for i, t in enumerate(seq))
    return s, a, r, seq[-1][3], seq[-1][4]


def main(steps=90, gamma=0.95, n=3):
    q, qt = Dueling(4, 3).to(device), Dueling(4, 3).to(device)
    qt.load_state_dict(q.state_dict())
    for p in qt.parameters():
        p.requires_grad_(False)
    opt = torch.optim.Adam(q.parameters(), lr=1e-3, eps=1.5e-4)
    mem, window = PrioritizedReplay(128), []
    s = torch.randn(4)
    for t in range(steps):
        with torch.no_grad():
            a = int(torch.randint(3, ())) if t < 30 else q(s.unsqueeze(0).to(device)).argmax(1).item()
        s2 = 0.8 * s + 0.3 * torch.randn(4)
        window.append((s, a, float(s2[a] > 0), s2, t % 25 == 24))
        if len(window) == n or window[-1][-1]:
            mem.add(n_step(window, gamma))
            window.clear()
        s = s2
        if len(mem) < 10:
            continue
        (bs, ba, br, bs2, bd), w, idx = mem.sample(16, beta=0.4 + 0.6 * t / steps)
        bs, ba, br, bs2, bd, w = (v.to(device) for v in (bs, ba, br, bs2, bd, w))
        with torch.no_grad():
            best = q(bs2).argmax(1, keepdim=True)
            y = br + gamma ** n * (1 - bd) * qt(bs2).gather(1, best).squeeze(1)
        td = q(bs).gather(1, ba.unsqueeze(1)).squeeze(1) - y
        loss = (w * F.huber_loss(td, torch.zeros_like(td), reduction="none")).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        mem.update(idx, td.detach().abs().cpu().numpy())
        if t % 20 == 0:
            qt.load_state_dict(q.state_dict())
    print(loss.item(), len(mem))


if __name__ == "__main__":
    main()
