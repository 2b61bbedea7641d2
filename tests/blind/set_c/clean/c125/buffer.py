import torch


class PPOBuffer:
    """Filled on the host during the rollout, sampled onto the training device."""

    def __init__(self):
        self.clear()

    def clear(self):
        self.obs, self.actions, self.logp, self.rewards, self.values = [], [], [], [], []

    def add(self, obs, action, logp, reward, value):
        self.obs.append(obs)
        self.actions.append(action)
        self.logp.append(logp)
        self.rewards.append(reward)
        self.values.append(value)

    def finish(self, gamma=0.99):
        ret, out = 0.0, []
        for r in reversed(self.rewards):
            ret = r + gamma * ret
            out.append(ret)
        self.returns = torch.tensor(out[::-1])

    def sample(self, batch, device):
        obs = torch.stack(self.obs)
        actions, logp = torch.tensor(self.actions), torch.tensor(self.logp)
        adv = self.returns - torch.tensor(self.values)
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        for idx in torch.randperm(len(self.actions)).split(batch):
            yield tuple(t[idx].to(device) for t in (obs, actions, logp, self.returns, adv))
