import copy
import torch
import torch.nn.functional as F
from networks import GaussianPolicy, TwinQ


class SAC:
    def __init__(self, obs, act, device, gamma=0.99, tau=0.01):
        self.device, self.gamma, self.tau = device, gamma, tau
        self.actor = GaussianPolicy(obs, act).to(device)
        self.critic = TwinQ(obs, act).to(device)
        self.target = copy.deepcopy(self.critic)
        self.target.requires_grad_(False)
        self.log_alpha = torch.zeros(1, device=device, requires_grad=True)
        self.target_entropy = -float(act)
        self.opt = {
            "actor": torch.optim.Adam(self.actor.parameters(), 3e-4),
            "critic": torch.optim.Adam(self.critic.parameters(), 3e-4),
            "alpha": torch.optim.Adam([self.log_alpha], 3e-4),
        }

    @property
    def alpha(self):
        return self.log_alpha.exp()

    def _apply_step(self, name, loss):
        self.opt[name].zero_grad()
        loss.backward()
        self.opt[name].step()

    @torch.no_grad()
    def act(self, obs):
        s = torch.as_tensor(obs, dtype=torch.float32, device=self.device)
        return self.actor(s.unsqueeze(0))[0].squeeze(0).cpu().numpy()

    def update(self, b):
        s, a, r, s2, d = (b[k].to(self.device) for k in ("s", "a", "r", "s2", "d"))
        with torch.no_grad():
            a2, logp2 = self.actor(s2)
            q = torch.min(*self.target(s2, a2)) - self.alpha * logp2
            y = r + self.gamma * (1 - d) * q
        q1, q2 = self.critic(s, a)
        self._apply_step("critic", F.mse_loss(q1, y) + F.mse_loss(q2, y))

        self.critic.requires_grad_(False)
        pi, logp = self.actor(s)
        self._apply_step("actor", (self.alpha.detach() * logp - torch.min(*self.critic(s, pi))).mean())
        self.critic.requires_grad_(True)

        self._apply_step("alpha", -(self.alpha * (logp.detach() + self.target_entropy)).mean())
        with torch.no_grad():
            for p, tp in zip(self.critic.parameters(), self.target.parameters()):
                tp.lerp_(p, self.tau)
