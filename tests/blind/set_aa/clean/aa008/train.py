import argparse

import torch

from rl.env import Drift
from rl.memory import Rollout
from rl.policy import ActorCritic

parser = argparse.ArgumentParser()
parser.add_argument("--rollout", type=int, default=8)
parser.add_argument("--updates", type=int, default=5)
args = parser.parse_args()

policy = ActorCritic(3, 2).to("cuda" if torch.cuda.is_available() else "cpu")
opt = torch.optim.RMSprop(policy.parameters(), lr=1e-3)
env, memory, scores = Drift(), Rollout(), []
obs = env.reset()
for update in range(args.updates):
    for _ in range(args.rollout):
        dist, value = policy(obs)
        action = dist.sample()
        obs, reward = env.step(action.item())
        memory.push(dist.log_prob(action), value, dist.entropy(), reward)
    with torch.no_grad():
        _, last = policy(obs)
    actor, critic, entropy = memory.losses(last)
    opt.zero_grad()
    (actor + 0.5 * critic - 0.01 * entropy).backward()
    torch.nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
    opt.step()
    scores.append(sum(memory.reward))
    memory.clear()
print(scores)
