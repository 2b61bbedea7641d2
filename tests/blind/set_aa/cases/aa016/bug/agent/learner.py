import torch


class Learner:
    def __init__(self, policy, lr=1e-2, gamma=0.98):
        self.gamma = gamma
        self.opt = torch.optim.Adam(policy.parameters(), lr=lr)
        self.baseline = 0.0

    def discounted(self, episode):
        total, out = 0.0, []
        for tr in reversed(episode):
            total = tr.reward + self.gamma * total
            out.append(total)
        return out[::-1]

    def learn(self, episodes):
        terms = []
        for ep in episodes:
            for tr, ret in zip(ep, self.discounted(ep)):
                terms.append(-tr.logp * (ret - self.baseline))
                self.baseline = 0.95 * self.baseline + 0.05 * ret
        loss = torch.stack(terms).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()
