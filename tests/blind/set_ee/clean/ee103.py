import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical


class VecChain:
    def __init__(self, n_envs, length=8, seed=0):
        self.n, self.length = n_envs, length
        self.rng = np.random.default_rng(seed)
        self.pos = np.zeros(n_envs, dtype=np.int64)

    def _obs(self):
        return np.stack([self.pos / self.length, np.ones(self.n)], axis=1).astype(np.float32)

    def reset(self):
        self.pos[:] = 0
        return self._obs()

    def step(self, action):
        self.pos = np.clip(self.pos + np.where(action == 1, 1, -1), 0, self.length)
        done = self.pos == self.length
        reward = np.where(done, 1.0, -0.01).astype(np.float32)
        self.pos[done] = 0
        return self._obs(), reward, done


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1))
        self.actor = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))

    def value(self, x):
        return self.critic(x).squeeze(-1)

    def evaluate(self, x, action=None):
        dist = Categorical(logits=self.actor(x))
        if action is None:
            action = dist.sample()
        return action, dist.log_prob(action), dist.entropy(), self.value(x)


def main(updates=2, horizon=16, n_envs=4, gamma=0.98, lam=0.95, clip=0.2):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    envs, agent = VecChain(n_envs), Agent().to(device)
    opt = torch.optim.Adam(agent.parameters(), lr=2.5e-4, eps=1e-5)

    obs_buf = torch.zeros((horizon, n_envs, 2), device=device)
    act_buf = torch.zeros((horizon, n_envs), device=device)
    logp_buf = torch.zeros((horizon, n_envs), device=device)
    rew_buf = torch.zeros((horizon, n_envs), device=device)
    done_buf = torch.zeros((horizon, n_envs), device=device)
    val_buf = torch.zeros((horizon, n_envs), device=device)

    next_obs = torch.tensor(envs.reset(), device=device)
    next_done = torch.zeros(n_envs, device=device)
    for update in range(updates):
        for t in range(horizon):
            obs_buf[t], done_buf[t] = next_obs, next_done
            with torch.no_grad():
                action, logp, _, value = agent.evaluate(next_obs)
                val_buf[t] = value
            act_buf[t], logp_buf[t] = action, logp
            obs, reward, done = envs.step(action.cpu().numpy())
            rew_buf[t] = torch.tensor(reward).to(device)
            next_obs = torch.tensor(obs, device=device)
            next_done = torch.tensor(done, dtype=torch.float32, device=device)

        with torch.no_grad():
            next_value = agent.value(next_obs)
            adv = torch.zeros_like(rew_buf)
            last = 0
            for t in reversed(range(horizon)):
                alive = 1.0 - (next_done if t == horizon - 1 else done_buf[t + 1])
                nv = next_value if t == horizon - 1 else val_buf[t + 1]
                delta = rew_buf[t] + gamma * nv * alive - val_buf[t]
                adv[t] = last = delta + gamma * lam * alive * last
            returns = adv + val_buf

        flat = lambda b: b.reshape(-1, *b.shape[2:])
        b_obs, b_act, b_logp, b_adv, b_ret = map(flat, (obs_buf, act_buf, logp_buf, adv, returns))
        inds = np.arange(horizon * n_envs)
        for _ in range(3):
            np.random.shuffle(inds)
            for mb in np.split(inds, 4):
                _, logp, ent, value = agent.evaluate(b_obs[mb], b_act[mb])
                ratio = (logp - b_logp[mb]).exp()
                a = b_adv[mb]
                a = (a - a.mean()) / (a.std() + 1e-8)
                pg = torch.max(-a * ratio, -a * ratio.clamp(1 - clip, 1 + clip)).mean()
                loss = pg + 0.5 * (value - b_ret[mb]).pow(2).mean() - 0.01 * ent.mean()
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                opt.step()

        y_pred, y_true = val_buf.cpu().numpy().ravel(), returns.cpu().numpy().ravel()
        ev = 1 - np.var(y_true - y_pred) / (np.var(y_true) + 1e-8)
        print(f"update {update} loss {loss.item():.4f} explained variance {ev:.3f}")


if __name__ == "__main__":
    main()
