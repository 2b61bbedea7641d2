import torch
import torch.nn.functional as F


def normalise(x, mean, std):
    return (x - mean.view(1, -1, 1, 1)) / std.view(1, -1, 1, 1)


def fgsm(model, images, labels, eps, mean, std):
    images = images.clone().requires_grad_(True)
    inputs = normalise(images, mean, std)
    loss = F.cross_entropy(model(inputs), labels)
    model.zero_grad()
    loss.backward()
    step = eps * inputs.grad.sign()
    return (images + step).clamp(0, 1).detach()
