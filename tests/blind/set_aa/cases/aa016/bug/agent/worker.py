import torch
from torch.distributions import Categorical


class Transition(dict):
    __getattr__ = dict.__getitem__


class Worker:
    """Plays episodes and hands them to the learner."""

    def __init__(self, env, policy):
        self.env, self.policy = env, policy

    @torch.no_grad()
    def _choose(self, obs):
        dist = Categorical(logits=self.policy(obs))
        action = dist.sample()
        return action, dist.log_prob(action)

    def episode(self, limit=15):
        obs, out = self.env.reset(), []
        for _ in range(limit):
            action, logp = self._choose(obs)
            nxt, reward, done = self.env.step(action.item())
            out.append(Transition(obs=obs, logp=logp, reward=reward))
            obs = nxt
            if done:
                break
        return out
