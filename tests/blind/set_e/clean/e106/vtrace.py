import torch


@torch.no_grad()
def vtrace(behaviour_logp, target_logp, rewards, values, bootstrap, gamma=0.99, clip=1.0):
    ratio = (target_logp - behaviour_logp).exp().clamp(max=clip)
    nxt = torch.cat([values[1:], bootstrap[None]])
    delta = ratio * (rewards + gamma * nxt - values)
    acc, out = torch.zeros_like(bootstrap), []
    for t in reversed(range(len(rewards))):
        acc = delta[t] + gamma * ratio[t] * acc
        out.append(acc)
    vs = torch.stack(out[::-1]) + values
    vs_next = torch.cat([vs[1:], bootstrap[None]])
    return vs, ratio * (rewards + gamma * vs_next - values)
