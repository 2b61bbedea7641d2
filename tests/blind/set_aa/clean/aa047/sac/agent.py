import copy

import torch


class SAC:
    def __init__(self, actor, critic, gamma=0.97, tau=0.02, lr=1e-3, target_entropy=-1.0):
        self.actor, self.critic = actor, critic
        self.slow = copy.deepcopy(critic).requires_grad_(False)
        device = next(actor.parameters()).device
        self.log_alpha = torch.zeros((), device=device, requires_grad=True)
        self.gamma, self.tau, self.goal = gamma, tau, target_entropy
        self.opts = [torch.optim.Adam(ps, lr=lr) for ps in
                     (actor.parameters(), critic.parameters(), [self.log_alpha])]

    def update(self, b):
        opt_a, opt_c, opt_t = self.opts
        alpha = self.log_alpha.exp().detach()
        with torch.no_grad():
            act, logp = self.actor(b["nxt"])
            y = b["rew"] + self.gamma * (self.slow(b["nxt"], act).min(-1).values - alpha * logp)
        critic_loss = (self.critic(b["obs"], b["act"]) - y[:, None]).pow(2).mean()
        opt_c.zero_grad()
        critic_loss.backward()
        opt_c.step()

        act, logp = self.actor(b["obs"])
        actor_loss = (alpha * logp - self.critic(b["obs"], act).min(-1).values).mean()
        opt_a.zero_grad()
        actor_loss.backward()
        opt_a.step()

        temp_loss = -(self.log_alpha * (logp.detach() + self.goal)).mean()
        opt_t.zero_grad()
        temp_loss.backward()
        opt_t.step()
        with torch.no_grad():
            for s, p in zip(self.slow.parameters(), self.critic.parameters()):
                s.lerp_(p, self.tau)
        return critic_loss.item(), actor_loss.item()
