import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class Agent:
    def __init__(self, i, n, obs, act, device):
        self.i = i
        self.actor = nn.Sequential(nn.Linear(obs, 24), nn.ReLU(), nn.Linear(24, act)).to(device)
        self.critic = nn.Sequential(nn.Linear(n * (obs + act), 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
        self.actor_target = copy.deepcopy(self.actor).requires_grad_(False)
        self.critic_target = copy.deepcopy(self.critic).requires_grad_(False)
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), lr=1e-3)

    def act(self, o, target=False):
        return F.gumbel_softmax((self.actor_target if target else self.actor)(o), hard=True)


class MADDPG:
    def __init__(self, n, obs, act, device):
        self.agents = [Agent(i, n, obs, act, device) for i in range(n)]

    def sync(self, tau=0.02):
        for a in self.agents:
            for net, tgt in ((a.actor, a.actor_target), (a.critic, a.critic_target)):
                for p, t in zip(net.parameters(), tgt.parameters()):
                    t.lerp_(p.detach(), tau)

    def learn(self, obs, acts, rews, nxt):
        flat = torch.cat([*obs, *acts], -1)
        with torch.no_grad():
            next_acts = [a.act(o, target=True) for a, o in zip(self.agents, nxt)]
            next_flat = torch.cat([*nxt, *next_acts], -1)
        logs = []
        for a in self.agents:
            with torch.no_grad():
                y = rews[a.i] + 0.95 * a.critic_target(next_flat).squeeze(-1)
            c_loss = F.mse_loss(a.critic(flat).squeeze(-1), y)
            a.critic_opt.zero_grad()
            c_loss.backward()
            a.critic_opt.step()

            mine = list(acts)
            mine[a.i] = a.act(obs[a.i])
            p_loss = -a.critic(torch.cat([*obs, *mine], -1)).mean()
            a.actor_opt.zero_grad()
            p_loss.backward()
            a.actor_opt.step()
            logs.append((c_loss.detach(), p_loss.detach()))
        self.sync()
        return torch.stack([torch.stack(pair) for pair in logs]).cpu()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    system = MADDPG(3, 4, 2, device)
    for it in range(6):
        obs, nxt = torch.randn(2, 3, 32, 4, device=device)
        acts = F.one_hot(torch.randint(2, (3, 32), device=device), 2).float()
        rews = (obs.sum(-1) > 0).float() * acts[..., 0]
        logs = system.learn(obs, acts, rews, nxt)
    print(logs)


if __name__ == "__main__":
    main()
