import torch


class Actor:
    def __init__(self, policy, envs=3, obs=4):
        self.policy, self.envs, self.obs = policy, envs, obs

    def unroll(self, steps):
        device = next(self.policy.parameters()).device
        states, actions, logps, rewards = [], [], [], []
        state = torch.randn(self.envs, self.obs)
        for _ in range(steps):
            with torch.no_grad():
                logits, _ = self.policy(state.to(device))
            dist = torch.distributions.Categorical(logits=logits.cpu())
            action = dist.sample()
            states.append(state)
            actions.append(action)
            logps.append(dist.log_prob(action))
            rewards.append((action == (state[:, 0] > 0).long()).float())
            state = 0.5 * state + torch.randn_like(state)
        return tuple(torch.stack(v) for v in (states, actions, logps, rewards))
