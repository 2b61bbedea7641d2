import torch

from corridor import Corridor
from policy import Agent


def discounted(rewards, gamma=0.97):
    out, acc = [], 0.0
    for r in reversed(rewards):
        acc = r + gamma * acc
        out.append(acc)
    return out[::-1]


def play(env, agent):
    obs, done = env.reset(), False
    log_probs, values, rewards = [], [], []
    while not done:
        a, lp, v = agent.act(obs)
        obs, r, done = env.step(a)
        log_probs.append(lp)
        values.append(v)
        rewards.append(r)
    agent.learn(log_probs, values, discounted(rewards))
    return sum(rewards)


if __name__ == "__main__":
    env = Corridor()
    agent = Agent(env.n, env.n_actions, "cuda" if torch.cuda.is_available() else "cpu")
    print([play(env, agent) for _ in range(4)])
