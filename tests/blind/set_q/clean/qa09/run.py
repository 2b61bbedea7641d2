import torch

from buffer import RolloutBuffer
from policy import ActorCritic

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def env_step(obs, action):
    reward = -(obs - action).pow(2).sum(-1)
    return torch.randn_like(obs), reward, torch.rand(obs.shape[0]) < 0.1


def main(iters=3, horizon=16, n_env=4, clip=0.2):
    ac = ActorCritic(3, 3).to(device)
    opt = torch.optim.Adam(ac.parameters(), lr=3e-3, eps=1e-5)
    buf = RolloutBuffer(horizon, n_env, 3, 3, device)
    obs = torch.randn(n_env, 3)
    for it in range(iters):
        for _ in range(horizon):
            with torch.no_grad():
                act, logp, val = ac.act(obs.to(device))
            nxt, rew, done = env_step(obs, act.cpu())
            buf.add(obs, act, logp, val, rew, done)
            obs = nxt
        with torch.no_grad():
            last = ac.value(obs.to(device))
        buf.finish(last)
        for _ in range(2):
            for mb in buf.minibatches(32):
                logp, ent, val = ac.evaluate(mb.obs, mb.act)
                ratio = (logp - mb.logp).exp()
                surr = torch.min(ratio * mb.adv, ratio.clamp(1 - clip, 1 + clip) * mb.adv)
                loss = -surr.mean() + 0.5 * (val - mb.ret).pow(2).mean() - 0.01 * ent.mean()
                opt.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(ac.parameters(), 0.5)
                opt.step()
        print(it, buf.rew.mean().item())


if __name__ == "__main__":
    main()
