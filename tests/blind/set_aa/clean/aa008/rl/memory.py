import torch


class Rollout:
    """Steps of one episode. The log-probabilities and values keep their graph until `losses` is called."""

    def __init__(self, gamma=0.97):
        self.gamma = gamma
        self.clear()

    def clear(self):
        self.logp, self.value, self.entropy, self.reward = [], [], [], []

    def push(self, logp, value, entropy, reward):
        self.logp.append(logp)
        self.value.append(value)
        self.entropy.append(entropy)
        self.reward.append(float(reward))

    def returns(self, bootstrap):
        out, run = [], float(bootstrap)
        for r in reversed(self.reward):
            run = r + self.gamma * run
            out.insert(0, run)
        return out

    def losses(self, bootstrap):
        value = torch.stack(self.value)
        ret = torch.tensor(self.returns(bootstrap), device=value.device)
        adv = ret - value.detach()
        actor = -(torch.stack(self.logp) * adv).mean()
        critic = (ret - value).pow(2).mean()
        return actor, critic, torch.stack(self.entropy).mean()
