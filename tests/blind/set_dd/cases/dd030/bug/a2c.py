import random
import torch

from policy import ActorCritic, discounted


class Bandwalk:
    """Walk on a line, reward for reaching the right end."""

    def reset(self):
        self.x, self.t = 0.0, 0
        return torch.tensor([self.x, 0.0])

    def step(self, a):
        self.x += (1 if a else -1) * random.uniform(0.5, 1.0)
        self.t += 1
        done = abs(self.x) > 4 or self.t >= 20
        return torch.tensor([self.x, self.t / 20]), float(self.x > 4), done


class A2C:
    def __init__(self, net, lr=3e-3, gamma=0.99, beta=0.01):
        self.net, self.gamma, self.beta = net, gamma, beta
        self.device = next(net.parameters()).device
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)

    def rollout(self, env):
        obs, done = env.reset(), False
        logps, values, rewards, ents = [], [], [], []
        while not done:
            dist, v = self.net(obs.to(self.device))
            a = dist.sample()
            logps.append(dist.log_prob(a))
            ents.append(dist.entropy())
            values.append(v)
            obs, r, done = env.step(a.item())
            rewards.append(r)
        return map(torch.stack, (logps, values, ents)), discounted(rewards, self.gamma).to(self.device)

    def learn(self, env):
        (logps, values, ents), returns = self.rollout(env)
        adv = returns - values.detach()
        policy_loss = -(logps * adv).mean() - self.beta * ents.mean()
        value_loss = 0.5 * (returns - values).pow(2).mean()
        self.opt.zero_grad()
        policy_loss.backward()
        value_loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
        self.opt.step()
        return returns[0].item()


if __name__ == "__main__":
    random.seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    agent = A2C(ActorCritic(2, 2).to(device))
    print([round(agent.learn(Bandwalk()), 2) for _ in range(4)])
