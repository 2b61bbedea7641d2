import copy

import torch
import torch.nn.functional as F

from policies import GaussianActor, TwinQ


class SAC:
    def __init__(self, obs, act, device, lr=3e-4, alpha=0.2, gamma=0.98, tau=0.01):
        self.actor = GaussianActor(obs, act).to(device)
        self.critic = TwinQ(obs, act).to(device)
        self.critic_target = copy.deepcopy(self.critic).requires_grad_(False)
        self.opts = {name: torch.optim.Adam(getattr(self, name).parameters(), lr=lr)
                     for name in ("actor", "critic")}
        self.alpha, self.gamma, self.tau = alpha, gamma, tau

    def critic_loss(self, b):
        with torch.no_grad():
            a2, logp2 = self.actor(b["next_obs"])
            q = torch.min(*self.critic_target(b["next_obs"], a2)) - self.alpha * logp2
            y = b["reward"] + self.gamma * (1 - b["done"]) * q
        q1, q2 = self.critic(b["obs"], b["action"])
        return F.mse_loss(q1, y) + F.mse_loss(q2, y)

    def actor_loss(self, b):
        a, logp = self.actor(b["obs"])
        return (self.alpha * logp - torch.min(*self.critic(b["obs"], a))).mean()

    def _apply_grads(self, name, loss):
        self.opts[name].zero_grad()
        loss.backward()
        self.opts[name].step()

    def update(self, batch):
        losses = {"critic": self.critic_loss(batch), "actor": self.actor_loss(batch)}
        for name, loss in losses.items():
            self._apply_grads(name, loss)
        self.soft_update()
        return {k: v.item() for k, v in losses.items()}

    @torch.no_grad()
    def soft_update(self):
        for t, s in zip(self.critic_target.parameters(), self.critic.parameters()):
            t.mul_(1 - self.tau).add_(s, alpha=self.tau)
