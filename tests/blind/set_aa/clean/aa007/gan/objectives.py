import torch


def penalty(critic, real, fake):
    alpha = torch.rand(real.size(0), 1, device=real.device)
    mix = (alpha * real + (1 - alpha) * fake).requires_grad_()
    score = critic(mix)
    grad, = torch.autograd.grad(score.sum(), mix, create_graph=True)
    return ((grad.norm(2, dim=1) - 1) ** 2).mean()


def critic_loss(critic, real, fake, weight):
    gap = critic(fake).mean() - critic(real).mean()
    return gap + weight * penalty(critic, real, fake)


def generator_loss(critic, fake):
    return -critic(fake).mean()
