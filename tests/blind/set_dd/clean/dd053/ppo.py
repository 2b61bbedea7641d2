import torch

from agent import GaussianAgent
from storage import Rollout


class Pendula:
    """Vectorised double integrators that have to be kept near the origin."""

    def __init__(self, n, device):
        self.n, self.device = n, device

    def reset(self):
        self.s = torch.randn(self.n, 2, device=self.device)
        return self.s

    def step(self, a):
        pos, vel = self.s.unbind(-1)
        vel = vel + 0.1 * a.clamp(-2, 2)
        self.s = torch.stack([pos + 0.1 * vel, vel], -1)
        return self.s, -(pos ** 2 + 0.1 * vel ** 2), (pos.abs() > 5).float()


def main(updates=2, steps=16, envs=4):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    env, agent = Pendula(envs, device), GaussianAgent(2).to(device)
    opt = torch.optim.Adam(agent.parameters(), lr=3e-4, eps=1e-5)
    obs = env.reset()
    for u in range(updates):
        buf = Rollout(steps, envs, 2, device)
        for t in range(steps):
            act, logp, val = agent.act(obs)
            buf.obs[t], buf.act[t], buf.logp[t], buf.val[t] = obs, act, logp, val
            obs, buf.rew[t], buf.done[t] = env.step(act)
        buf.val[steps] = agent.act(obs)[2]
        for _ in range(2):
            for o, a, old, adv, ret in buf.minibatches(4):
                logp, ent, v = agent.evaluate(o, a)
                adv = (adv - adv.mean()) / (adv.std() + 1e-8)
                ratio = (logp - old).exp()
                pg = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
                loss = pg + 0.5 * (v - ret).pow(2).mean() - 0.01 * ent.mean()
                opt.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                opt.step()
        print(u, buf.rew.mean().item())


if __name__ == "__main__":
    main()
